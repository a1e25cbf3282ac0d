#!/usr/bin/env bash
# The node: the first process of its namespaces. keeper.ts starts it, with the directory of the run, the program of
# Kubernetes, the images, the address of the node, and Node.js.
set -euo pipefail
run=$1 kubernetes=$2 images=$3 address=$4 node=$5
here=$(dirname "$(readlink -f "$0")")

mount --make-rshared /
mount -t proc proc /proc
# What programs write outside of the run's directory.
for directory in /run /var/log /var/lib/kubelet /var/lib/cni; do mount -t tmpfs tmpfs "$directory"; done
for file in vm/overcommit_memory kernel/panic kernel/panic_on_oops; do
  mount --bind "$run/sys/${file#*/}" "/proc/sys/$file"
done
mount --bind "$run/config/node-resolv.conf" "$(readlink -f /etc/resolv.conf)"
hostname node
ip link set lo up
# An address of the node that is not loopback, and a way to the addresses of Services, which never leave it.
ip link add node0 type bridge
ip addr add "$address/24" dev node0
ip link set node0 up
ip route add default dev node0
sysctl -qw net.ipv4.ip_forward=1

declare -A names
start() { local name=$1; shift; "$@" > "$run/log/$name" 2>&1 & names[$!]=$name; }
kubernetes() { local name=$1; shift; start "$name" "$kubernetes" "$name" "$@"; }
config() { echo "--kubeconfig=$run/config/$1.kubeconfig"; }

start registry docker-registry serve "$run/config/registry.yaml"
start containerd containerd --config "$run/config/containerd.toml"
kubernetes etcd --data-dir="$run/etcd" --unsafe-no-fsync
kubernetes kube-apiserver --etcd-servers=http://127.0.0.1:2379 --advertise-address="$address" --secure-port=6443 \
  --cert-dir="$run/config" --token-auth-file="$run/config/tokens.csv" --authorization-mode=Node,RBAC \
  --enable-admission-plugins=NodeRestriction --allow-privileged=true --service-cluster-ip-range=10.96.0.0/16 \
  --kubelet-preferred-address-types=InternalIP --service-account-issuer=https://kubernetes.default.svc \
  --service-account-key-file="$run/config/accounts.key" --service-account-signing-key-file="$run/config/accounts.key" \
  --requestheader-client-ca-file="$run/config/front.crt" --requestheader-allowed-names=front-proxy \
  --requestheader-extra-headers-prefix=X-Remote-Extra- --requestheader-group-headers=X-Remote-Group \
  --requestheader-username-headers=X-Remote-User \
  --proxy-client-cert-file="$run/config/front.crt" --proxy-client-key-file="$run/config/front.key"
for image in "$images"/*.tar; do
  until [ -S /run/containerd/containerd.sock ]; do sleep 0.2; done
  ctr -n k8s.io images import "$image"
done
until [ -s "$run/config/apiserver.crt" ] && (: < /dev/tcp/127.0.0.1/6443) 2> /dev/null; do sleep 0.2; done
kubernetes kube-controller-manager "$(config controllers)" --leader-elect=false --use-service-account-credentials=true \
  --root-ca-file="$run/config/apiserver.crt" --service-account-private-key-file="$run/config/accounts.key" \
  --cluster-cidr=10.244.0.0/16
kubernetes kube-scheduler "$(config scheduler)" --leader-elect=false
kubernetes kubelet "$(config kubelet)" --config="$run/config/kubelet.yaml" --root-dir="$run/kubelet" \
  --hostname-override=node --node-ip="$address"
kubernetes kube-proxy --config="$run/config/proxy.yaml"
start policies "$node" "$here/policies.ts"

# Whichever ends ends the node.
wait -n -p ended || code=$?
{ echo "The node has ended, because ${names[$ended]} ended with ${code:-0}:"; tail -n 20 "$run/log/${names[$ended]}"; } > "$run/ended"
exit 1
