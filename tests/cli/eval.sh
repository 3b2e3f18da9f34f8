# Scores: known values, matching by item id, label files of several forms.
printf 'item,label\n0,a\n1,a\n2,b\n3,b\n' >truth.csv
printf 'item,label\n0,1\n1,1\n2,0\n3,0\n' >same.csv
printf 'item,label\n3,0\n2,0\n1,1\n0,1\n' >shuffled.csv
printf 'item,label\n0,0\n1,1\n2,0\n3,1\n' >worst.csv
printf 'label\n0\n0\n1\n' >short.csv
printf 'file,person,pose\nx.png,ann,left\ny.png,ann,right\nz.png,bob,left\n' >index.csv
try scdc eval same.csv truth.csv
try scdc eval same.csv truth.csv --json
try scdc eval shuffled.csv truth.csv
try scdc eval worst.csv truth.csv
try scdc eval index.csv:person index.csv:pose
# A column that had to be guessed is named.
try scdc eval index.csv index.csv:pose
try scdc eval index.csv index.csv:pose --quiet
# Refusals.
try scdc eval same.csv
try scdc eval same.csv truth.csv extra.csv
try scdc eval same.csv short.csv
try scdc eval same.csv absent.csv
try scdc eval index.csv:size truth.csv
# Probabilities beside clusters: what they are worth.
printf 'item,cluster,probability,component\n0,7,1,0\n1,7,0.75,0\n2,3,0.75,1\n3,3,0.5,1\n' >promised.csv
printf 'label\n0\n0\n1\n1\n' >really.csv
try scdc eval promised.csv really.csv
