#!/bin/sh
# Install the Debian packages that are missing, and say which:   tools/setup.sh [arm64] [build] [browser] [fuzz] [lint] [mingw] [octave] [python] [wasm]
# Does nothing, and needs no network, when all are there.
set -eu

build="build-essential cmake ninja-build pkg-config libyaml-dev libexpat1-dev libhdf5-dev libsuitesparse-dev libsundials-dev libcmocka-dev
    libopenmpi-dev openmpi-bin gnuplot-nox python3 python3-yaml python3-jsonschema python3-h5py python3-numpy
    zlib1g-dev libminizip-dev libnlopt0 nodejs npm"
browser="chromium"
octave="octave octave-dev"
fuzz="clang libclang-rt-14-dev"
python="mypy pydocstyle python3-pandas python3-matplotlib python3-scipy python3-pip python3-venv"
wasm="emscripten"
arm64="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"
mingw="gcc-mingw-w64-x86-64 wine64"
lint="clang-format clang-tidy cppcheck"

wanted=""
for group in "${@:-build}"; do
    case $group in
    arm64) wanted="$wanted $arm64" ;;
    build) wanted="$wanted $build" ;;
    browser) wanted="$wanted $browser" ;;
    fuzz) wanted="$wanted $fuzz" ;;
    lint) wanted="$wanted $lint" ;;
    python) wanted="$wanted $python" ;;
    wasm) wanted="$wanted $wasm" ;;
    mingw) wanted="$wanted $mingw" ;;
    octave) wanted="$wanted $octave" ;;
    *)
        echo "setup: no group '$group' (arm64, build, browser, fuzz, lint, mingw, octave, python, wasm)" >&2
        exit 2
        ;;
    esac
done

if ! command -v dpkg >/dev/null || ! command -v apt-get >/dev/null; then
    echo "setup: this is not a Debian-like system, so nothing is installed for you. What is needed, in Debian's names:"
    echo $wanted | fold -s -w 92 | sed 's/^/    /'
    echo "setup: going on as if it were all there."
    exit 0
fi

installed() {
    dpkg -s "$1" 2>/dev/null | grep -q '^Status: .* installed$' && return 0
    # any gnuplot, node and npm will do
    case $1 in
    gnuplot-nox) command -v gnuplot >/dev/null ;;
    nodejs) command -v node >/dev/null ;;
    npm) command -v npm >/dev/null ;;
    *) return 1 ;;
    esac
}

missing=""
for package in $wanted; do
    installed "$package" || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

echo "--- Installing missing packages:$missing"
if [ "$(id -u)" -eq 0 ]; then
    as_root=""
elif command -v sudo >/dev/null; then
    as_root="sudo"
    echo "    (with sudo, which may ask for your password)"
else
    echo "setup: this needs root or sudo. Ask your administrator for" >&2
    echo "    apt-get install$missing" >&2
    exit 1
fi
apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q --no-install-recommends "$@"
}
log=$(mktemp)
if ! { apt update && apt install $missing; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "setup: apt-get failed; its last words are above. By hand: apt-get install$missing" >&2
    rm -f "$log"
    exit 1
fi
rm -f "$log"
