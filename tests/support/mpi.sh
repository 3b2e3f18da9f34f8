# scdc-mpi by so many processes: scdc_mpi PROCESSES WORDS...; SCDC_MPI and MPIRUN are told by the build.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
scdc_mpi() {
    processes=$1
    shift
    "$MPIRUN" -n "$processes" "$SCDC_MPI" "$@"
}
