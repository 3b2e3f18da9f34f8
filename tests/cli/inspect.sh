# What files hold, for people and for machines.
printf 'x,y\n0,1.5\n2,-3\n4,0\n' >items.csv
printf 'name,x\nann,1\nbob,2\ncid,4\n' >named.csv
printf 'worker,left,right,label\nw1,0,1,1\nw1,0,2,0\nw2,0,1,0\nw2,1,2,unsure\nw2,1,0,0\n' >answers.csv
printf 'worker,left,right,label\nw1,ann,bob,same\nw1,cid,bob,different\n' >names.csv
printf 'worker,task,item,group\nw1,t1,0,a\nw1,t1,1,a\nw1,t1,2,b\n' >groups.csv
printf 'item,label\n0,cat\n1,dog\n2,cat\n' >labels.csv
try scdc inspect items.csv answers.csv groups.csv labels.csv
try scdc inspect items.csv answers.csv groups.csv labels.csv --json
try scdc inspect answers.csv --data items.csv --workers
try scdc inspect answers.csv --data items.csv --workers --json
try scdc inspect names.csv --data named.csv
try scdc inspect names.csv
try scdc inspect named.csv
# A column of class numbers among the values is noticed.
printf 'x,target\n0.5,0\n1.5,1\n0.4,0\n1.4,1\n' >classes.csv
try scdc inspect classes.csv
try scdc inspect classes.csv --json
# The kind can be said.
try scdc inspect labels.csv --as labels
try scdc inspect --as data answers.csv
try scdc inspect items.csv --as anwers
cat items.csv | try scdc inspect - --as data
try scdc inspect -
# One bad file does not hide the others; its code is the exit code.
try scdc inspect absent.csv labels.csv
