# container.sh "FREED" UID FILTER COMMAND…: a container as runtimes make them without privileges, without a daemon. FREED: which of its
# restrictions are taken away (seccomp, proc, cgroup, admin). FILTER: the program docker-filter.
freed=$1 id=$2 filter=$3
shift 3
exec unshare --mount --pid --fork --mount-proc --ipc --uts --net --kill-child bash -ec '
freed=$1 id=$2 filter=$3
shift 3
is_freed() { case " $freed " in *" $1 "*) ;; *) return 1 ;; esac; }
mount --make-rprivate /
if ! is_freed cgroup; then
  for folder in /sys/fs/cgroup /sys/fs/cgroup/*; do
    if mountpoint -q "$folder"; then mount -o remount,bind,ro "$folder"; fi
  done
fi
if ! is_freed proc; then
  mount --bind /proc/sys /proc/sys
  mount -o remount,bind,ro /proc/sys
  mount --bind /dev/null /proc/timer_list
fi
if is_freed seccomp; then filter=; fi
# What Docker leaves.
capabilities=-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_bind_service,+sys_chroot,+mknod,+audit_write,+setfcap
if is_freed admin; then capabilities=$capabilities,+sys_admin; fi
become=
if [ "$id" != 0 ]; then
  become="--reuid=$id --regid=$id --clear-groups"
  capabilities=-all
fi
exec setpriv --bounding-set=$capabilities --inh-caps=$capabilities $become -- $filter "$@"
' container "$freed" "$id" "$filter" "$@"
