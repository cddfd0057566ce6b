# Runs a test and says last how long it took, for ./quickstart: timed.sh COMMAND...
start=$(date +%s%N)
"$@"
status=$?
echo "kgtime: $((($(date +%s%N) - start) / 1000000)) ms"
exit $status
