#!/usr/bin/env bash
# AWS_CA_BUNDLE, which adds trusted certificates for the AWS tools, keeps rclone 1.60.1 from reaching any S3 server.
#
# Most people would guess that the variable has no effect on a server without TLS, that rclone ignores it because it
# has --ca-cert, or that it helps, as it does for the AWS command line. Clusters and companies set it for everybody.
# Instead, the SDK inside rclone insists on adding the certificates to the HTTP transport, doesn't know rclone's own
# kind of transport, and fails before it connects, also for a valid bundle and an http:// endpoint. The error names
# neither the variable nor a remedy: unset it, and pass the same file as RCLONE_CA_CERT.
#
# Seen with: rclone 1.60.1+dfsg-2+b5 (Debian 12). Nothing needs to listen: the port is closed.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download rclone=1.60.1+dfsg-2+b5 >/dev/null 2>&1 || { echo "The package isn't available." && exit 1; }
dpkg -x ./rclone_*.deb package
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out bundle.pem -days 30 -subj /CN=example >/dev/null 2>&1
cat >rclone.conf <<'EOF'
[bucket]
type = s3
provider = Other
access_key_id = example
secret_access_key = example
endpoint = http://127.0.0.1:9
EOF

list() {
  env -u AWS_CA_BUNDLE -u RCLONE_CA_CERT "$@" package/usr/bin/rclone --config rclone.conf --retries 1 --low-level-retries 1 \
    lsf bucket:data 2>&1 | grep -o "unable to load custom CA bundle\|connection refused" | sort -u || true
}
seen="no variable: $(list)
AWS_CA_BUNDLE: $(list AWS_CA_BUNDLE="$folder/bundle.pem")
RCLONE_CA_CERT: $(list RCLONE_CA_CERT="$folder/bundle.pem")"
echo "$seen"

expected="no variable: connection refused
AWS_CA_BUNDLE: unable to load custom CA bundle
RCLONE_CA_CERT: connection refused"
[[ $seen == "$expected" ]] || { echo "The behavior has changed. Expected:" && echo "$expected" && exit 1; }
