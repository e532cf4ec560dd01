#!/bin/sh
# Makes the certificates and keys of the TLS tests anew: `localhost` and `renewed`, valid for 100 years, and `expired`,
# with the key of `localhost`, which ended on the day before it was made. They are secret to nobody and worth nothing.
set -eu
cd "$(dirname "$0")"

make() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -sha256 -days 36500 \
    -subj "/CN=localhost/O=Parterre $1" -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' \
    -keyout "$1-key.pem" -out "$1.pem"
}

make localhost
make renewed
openssl x509 -in localhost.pem -signkey localhost-key.pem -days -1 -out expired.pem
