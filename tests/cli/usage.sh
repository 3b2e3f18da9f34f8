# Wrong usage ends with 2, says what is wrong and suggests what was probably meant.
try scdc
try scdc vesion
try scdc xyzzy
try scdc --json version
try scdc help vrsion
try scdc version --jsno
try scdc version --nothing-like-it
try scdc version -x
try scdc version --json=1
try scdc version --seed
try scdc version --seed -1
try scdc version --seed=18446744073709551616
try scdc version --threads=two
try scdc version extra
try scdc version -- --json
# Accepted everywhere.
try scdc version -q --seed 3 --threads=2
try scdc version --version
try scdc --version
try scdc version -qh
# Which build this is, for reports of defects: in one form wherever the words stand.
scdc version --verbose >facts
scdc --version --verbose | cmp - facts && cut -d ' ' -f 1 facts | grep -x -e scdc -e compiler -e instructions -e zlib -e png -e jpeg -e jansson -e metis
grep -q -e '^sqlite  *[0-9]' -e '^collect  *no' facts && echo "libraries of the server, or none"
