#!/usr/bin/env bash
# Builds every fuzz target into $OUT, with its seeds, dictionary and options, as OSS-Fuzz asks: $CC, $CXX, $CFLAGS, $CXXFLAGS,
# $LIB_FUZZING_ENGINE, $WORK and $SRC are given. doc/fuzzing.md says how to do it by hand.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# OSS-Fuzz copies this file beside the sources.
[[ $here == */fuzz/oss-fuzz ]] && kgrad=${here%/fuzz/oss-fuzz} || kgrad=$here/kgrad
jobs=$(nproc)

# Where SPIRV-Tools' sources are, its one library that kgrad uses is built with the same flags.
SPIRV_TOOLS=-l:libSPIRV-Tools.a
if [[ -d ${SRC:-}/SPIRV-Tools ]]; then
    cmake -S "$SRC/SPIRV-Tools" -B "$WORK/spirv-tools" -DCMAKE_BUILD_TYPE=None -DSPIRV_SKIP_TESTS=ON -DSPIRV_SKIP_EXECUTABLES=ON \
        -DSPIRV_WERROR=OFF -DSPIRV_TOOLS_BUILD_STATIC=ON
    cmake --build "$WORK/spirv-tools" -j "$jobs" --target SPIRV-Tools-static
    SPIRV_TOOLS=$WORK/spirv-tools/source/libSPIRV-Tools.a
    export SPIRV_TOOLS_CFLAGS=-I$SRC/SPIRV-Tools/include SPIRV_TOOLS_LIBS=$SPIRV_TOOLS
    export SPIRV_HEADERS_CFLAGS=-I$SRC/SPIRV-Tools/external/spirv-headers/include SPIRV_HEADERS_LIBS=-lm
fi

# What runs the targets later has no libraries, so that these are linked in; and the engine is C++.
[[ -x $kgrad/configure ]] || (cd "$kgrad" && autoreconf -fi)
mkdir -p "$WORK/kgrad"
cd "$WORK/kgrad"
"$kgrad/configure" -q --disable-shared --without-spirv-cross CPPFLAGS="-DKG_DEVELOPMENT=1 -DKG_LIBFUZZER=1" \
    PNG_LIBS="-l:libpng16.a -l:libz.a -lm" ZLIB_LIBS=-l:libz.a XXHASH_LIBS=-l:libxxhash.a
# What the Makefile says when it is made anew comes before.
targets=$(make -s list-fuzz-targets | tail -n 1)
make -s -j "$jobs" CCLD="$CXX" LIBS="$LIB_FUZZING_ENGINE" SPIRV_TOOLS_LIBS="$SPIRV_TOOLS" $targets

# Dictionaries are what the tables hold: the language's words, and the command's options.
words() {
    sed -nE 's/^(KEYWORD|KIND|OP[1-4]|FUN[1-4])\(([a-z_0-9]+).*/"\2"/p; s/^(PUNCT|TYPE)\([A-Za-z_0-9]+, ("[^"\\]+").*/\2/p' \
        "$kgrad"/foundation/ir/*.def "$kgrad"/foundation/text/punct.def | sort -u
}
options() { sed -nE 's/.*\.name = "([a-z-]+)".*/"--\1"/p' "$kgrad"/tools/*.[ch] | sort -u; }
words >"$OUT/text.dict"
words >"$OUT/emission.dict"
options >"$OUT/options.dict"

# A program of many statements takes long, and shows no more.
for target in $targets; do
    name=$(basename "$target")
    cp "$target" "$OUT/$name"
    printf '[libfuzzer]\nmax_len = 4096\n' >"$OUT/$name.options"
    (cd "$kgrad/fuzz/corpus/$name" && zip -q -r - .) >"$OUT/${name}_seed_corpus.zip"
done
