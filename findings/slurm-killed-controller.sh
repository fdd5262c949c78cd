#!/usr/bin/env bash
# After slurmctld is killed, a job whose ID sbatch had already printed is gone, and the next job gets the same ID.
#
# Most people would guess that a scheduler has written a job to its state folder before it acknowledges it, as a
# database does before a commit returns, and that a job ID is never given twice. But slurmctld saves its state in the
# background, a few seconds later. Whoever keeps the ID (for --dependency, a pipeline's state, a table of results) then
# waits for, or reports, somebody else's job. If the controller is asked to end instead, it saves its state first.
#
# Seen with: Slurm 22.05.8-4+deb12u3 (Debian 12). Run as root.
set -euo pipefail

folder=$(mktemp -d)
controller=
trap '[[ -z $controller ]] || kill -9 "$controller" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
version=22.05.8-4+deb12u3
apt-get download slurmctld=$version slurm-client=$version slurm-wlm-basic-plugins=$version libslurm38=$version \
  libmunge2 libhwloc15 libhttp-parser2.9 libjson-c5 libjwt0 libyaml-0-2 >/dev/null 2>&1 ||
  { echo "The packages aren't available." && exit 1; }
for package in ./*.deb; do dpkg -x "$package" package; done
libraries=$folder/package/usr/lib/x86_64-linux-gnu
export PATH=$folder/package/usr/bin:$folder/package/usr/sbin:$PATH SLURM_CONF=$folder/slurm.conf
export LD_LIBRARY_PATH=$libraries:$libraries/slurm-wlm

port=$((20000 + RANDOM % 10000))
mkdir state
cat >slurm.conf <<CONFIG
ClusterName=lab
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
AuthType=auth/none
CredType=cred/none
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation=$folder/state
SlurmctldPidFile=$folder/controller.pid
PluginDir=$libraries/slurm-wlm
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SwitchType=switch/none
MpiDefault=none
NodeName=n1 NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1
PartitionName=main Nodes=n1 Default=YES
CONFIG

start() {
  slurmctld -D >>controller.log 2>&1 &
  controller=$!
  until scontrol ping 2>/dev/null | grep -q 'is UP'; do
    kill -0 "$controller" 2>/dev/null || { tail -n 5 controller.log && exit 1; }
    sleep 0.2
  done
}
end() {
  kill "-$1" "$controller"
  wait "$controller" 2>/dev/null || true
}
submit() { sbatch --parsable --job-name="$1" --output=/dev/null --wrap=true; }
find_job() { squeue --noheader --states=all --jobs="$1" --format='%i is %j' 2>/dev/null || true; }

start
first=$(submit first)
end KILL
start
after_kill=$(find_job "$first")
second=$(submit second)
after_next=$(find_job "$first")
end TERM
start
after_end=$(find_job "$second")
end TERM

seen="first job: $first
after a kill: ${after_kill:-no such job}
after the next submission: $after_next
after an orderly end: $after_end"
echo "$seen"

expected='first job: 1
after a kill: no such job
after the next submission: 1 is second
after an orderly end: 1 is second'
[[ $seen == "$expected" ]] || { echo "The behavior has changed. Expected:" && echo "$expected" && exit 1; }
