# tools/get-data with the real files: from the shared folder, from the archive of the faces as the
# original address has it, and from what was fetched before.
real="$SCDC_SHARED/data"
[ -f "$real/mnist_crowd/pairs.csv" ] && [ -d "$real/cmu_faces/faces_4" ] || skip "$real is not there"
export SCDC_DATA="$PWD/cache"
mkdir bin
printf '#!/bin/sh\nexit 1\n' >bin/npm
# The stand-in for curl knows one address.
cat >bin/curl <<CURL
#!/bin/sh
case "\$*" in *cmu+face+images.zip) ;; *) exit 22 ;; esac
while [ "\$1" != -o ]; do shift; done
cp "$PWD/faces.zip" "\$2"
CURL
chmod +x bin/npm bin/curl
PATH="$PWD/bin:$PATH"
get() { "$ROOT/tools/get-data" "$@" 2>&1 | sed "s|$PWD|.|g"; }

get mnist-crowd
ls cache/mnist-crowd
SCDC_SHARED=/nowhere get mnist-crowd "$PWD/cache/mnist-crowd"

mkdir -p tree/faces_4
for file in "$real"/cmu_faces/faces_4/*.pgm; do
    person=$(basename "$file" | sed 's/_.*//')
    mkdir -p "tree/faces_4/$person"
    cp "$file" "tree/faces_4/$person/"
done
echo glitch >tree/faces_4/an2i/an2i_up_sad_open_4.bad
tar czf faces_4.tar.gz -C tree faces_4
python3 -m zipfile -c faces.zip faces_4.tar.gz
SCDC_SHARED=/nowhere get faces
cmp "$real/cmu_faces/index.csv" cache/faces/index.csv && echo "the same index"
