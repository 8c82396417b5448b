#!/bin/sh
# Doubles itself until the depth in its argument is reached, and stays: at most 2^(depth+1) processes, for 20 seconds.
if [ "$1" -gt 0 ]; then
  sh "$0" $(($1 - 1)) &
  sh "$0" $(($1 - 1)) &
fi
exec sleep 20
