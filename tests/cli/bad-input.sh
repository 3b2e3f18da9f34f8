# Files that do not hold what they should: exit 3, and a message that says where and what.
: >empty.csv
: >empty.npy
printf 'x,y\n1,2\n3\n' >ragged.csv
printf 'x,y\n1,2\n3,high\n' >text.csv
printf 'x,y\n1,2\n3,nan\n' >nan.csv
printf 'x,y\n1,"2\n' >quote.csv
printf 'x\n1\n2\n3\n' >three.csv
mkdir folder
# A label column that holds one of the two items: answers of a ranking, not of same/different.
printf 'worker,left,right,label\nw,0,1,0\nw,1,2,2\nw,2,0,2\n' >ranking.csv
printf 'worker,left,right,label\nw,0,1,1\nw,1,3,0\n' >beyond.csv
printf 'worker,left,right,label\nw,0,0,1\n' >self.csv
printf 'worker,left,right,label\nw,0,1,maybe\n' >maybe.csv
printf 'worker,left,right,label\nw,0,1\n' >short.csv
printf 'worker,left,right,label\n' >none.csv
printf 'worker,task,item,group\nw,t,0,a\nw,t,0,b\n' >twice.csv
for file in empty.csv empty.npy ragged.csv text.csv nan.csv quote.csv folder ranking.csv self.csv \
    maybe.csv short.csv none.csv twice.csv absent.npy; do
    try scdc inspect $file
done
try scdc inspect beyond.csv --data three.csv
# Binary files cut short, and a header that lies.
scdc simulate data blobs -o whole.npy -q
head -c 200 whole.npy >cut.npy
head -c 40 whole.npy >head.npy
printf '\000\000\010\003\000\000\000\002\000\000\000\034\000\000\000\034abc' >cut.idx
gzip -c whole.npy | head -c 300 >cut.npy.gz
printf '\000\001\002' >junk.dat
for file in cut.npy head.npy cut.idx cut.npy.gz junk.dat; do
    try scdc inspect $file
done
# Answers where items or labels belong.
printf 'worker,left,right,label\n1,0,1,1\n2,1,2,0\n3,0,2,0\n' >answers.csv
try scdc eval answers.csv three.csv
try scdc simulate answers answers.csv -o x.csv
try scdc baseline kmeans answers.csv -k 2 -o x.csv
