# tools/get-data: sources in turn, checksums, errors. npm, curl and apt-get are replaced by stand-ins,
# so nothing is fetched.
export SCDC_SHARED="$PWD/shared" SCDC_DATA="$PWD/cache"
mkdir bin shared
for tool in npm curl apt-get; do
    printf '#!/bin/sh\nexit 1\n' >bin/$tool
    chmod +x bin/$tool
done
PATH="$PWD/bin:$PATH"
get() { "$ROOT/tools/get-data" "$@" 2>&1 | sed "s|$PWD|.|g"; }
# Exit status of the script itself, not of sed.
code() {
    "$ROOT/tools/get-data" "$@" >/dev/null 2>&1
    echo "[exit $?]"
}

echo "-- usage"
get
code
get mnst
code mnst

echo "-- nothing can be reached"
get mnist
code mnist
get mnist-crowd
code mnist-crowd
get cifar10-crowd
ls cache/mnist

echo "-- a wrong checksum is never used"
mkdir -p shared/data/mnist_crowd
echo "worker,left,right,label" >shared/data/mnist_crowd/pairs.csv
get mnist-crowd
ls cache/mnist-crowd

echo "-- a broken gzip file"
mkdir -p shared/data/mnist
echo "no gzip" >shared/data/mnist/train-labels-idx1-ubyte.gz
get mnist | grep 'gzip file'
ls -A cache/mnist
