#!/bin/sh
# The pages of scdc collect in headless Chromium, driven by Playwright and looked at by axe.
# Usage: tests/server/browser/run.sh SCDC FOLDER [--keep PICTURES]
# FOLDER gets the npm packages. Ends with 77 (skipped) where there is no Chromium, Node.js or npm registry.
set -u
here=$(cd "$(dirname "$0")" && pwd)
scdc=$1
folder=$2
shift 2
for name in chromium chromium-browser google-chrome; do
    browser=$(command -v "$name") && break
done
skip() {
    echo "skipped: $*"
    exit 77
}
[ -n "${browser:-}" ] || skip "no Chromium (tools/setup --browser installs it)"
have_node=$(command -v node) && have_npm=$(command -v npm)
if [ -z "$have_node" ] || [ -z "${have_npm:-}" ]; then skip "no Node.js with npm (tools/setup --browser installs it)"; fi
mkdir -p "$folder"
if [ ! -d "$folder/node_modules/playwright-core" ] || [ ! -d "$folder/node_modules/axe-core" ]; then
    cp "$here/package.json" "$folder/"
    (cd "$folder" && npm install --no-audit --no-fund --ignore-scripts >npm.log 2>&1) ||
        skip "npm cannot install playwright-core and axe-core"
fi
NODE_PATH="$folder/node_modules" exec node "$here/main.cjs" "$scdc" "$browser" "$@"
