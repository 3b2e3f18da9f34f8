# The real files: counts as their publication states them.
real="$SCDC_SHARED/data"
[ -f "$real/mnist_crowd/pairs.csv" ] || skip "$real is not there"
cd "$real" || exit 1
try scdc inspect mnist/train-images-idx3-ubyte.gz mnist/t10k-labels-idx1-ubyte.gz
try scdc inspect mnist_crowd/pairs.csv --data mnist/train-images-idx3-ubyte.gz
try scdc inspect mnist_crowd/pairs.csv mnist_crowd/pairs.npy mnist_crowd/groupings.csv
try scdc inspect cmu_faces/faces_4 cmu_faces/index.csv:pose
try scdc inspect cifar10/data_batch_1.bin cifar10/test_batch_2000.bin
try scdc inspect dogs3/pairs.csv dogs3/truth.csv
