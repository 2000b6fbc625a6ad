#!/bin/sh
# Collects the root file system of the image in the folder $1, which already holds usr/local/bin/node.
set -eu
root=$1
node=$root/usr/local/bin/node

# The symbols of the binary take a fifth of its size and only serve debuggers.
strip --strip-unneeded "$node"

mkdir -p "$root/bin" "$root/usr/bin" "$root/etc" "$root/tmp" "$root/data"
chmod 1777 "$root/tmp"
chown 1001:1001 "$root/data"

# The libraries of node, at the paths where its loader looks for them.
ldd "$node" | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done

# A shell and the usual tools for `docker exec`. The first line of the command `millrace` needs env.
cp /bin/busybox "$root/bin/busybox"
for tool in sh ls cat ps env id df du head tail grep wget kill sleep vi; do ln -s busybox "$root/bin/$tool"; done
ln -s /bin/busybox "$root/usr/bin/env"
ln -s ../lib/millrace/bin/millrace.mjs "$root/usr/local/bin/millrace"

echo 'root:x:0:0:root:/:/bin/sh
millrace:x:1001:1001:Millrace:/data:/bin/sh' >"$root/etc/passwd"
echo 'root:x:0:
millrace:x:1001:' >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"

mkdir -p "$root/usr/local/lib"
cat >"$root/usr/local/lib/health-check.mjs" <<'SCRIPT'
// Exit code 0 if the server in this container answers. Readiness is for load balancers: a container must not be restarted because its database is away.
const { MILLRACE_SERVER_PORT = '4200', MILLRACE_SERVER_BASE_PATH = '' } = process.env
const url = `http://127.0.0.1:${MILLRACE_SERVER_PORT}${MILLRACE_SERVER_BASE_PATH}/api/health`
process.exit(await fetch(url, { signal: AbortSignal.timeout(4000) }).then(({ ok }) => (ok ? 0 : 1), () => 1))
SCRIPT

# The licences of what was copied.
for package in libc6 libstdc++6 libgcc-s1 busybox-static; do
  mkdir -p "$root/usr/share/doc/$package"
  cp -L "/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/copyright"
done
