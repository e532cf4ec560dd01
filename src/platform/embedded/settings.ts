/** Given with -c at every start and not written to postgresql.conf, so that a new release brings new values. */
const TUNED: Record<string, string> = {
  // A season of tickets with its indexes stays in memory; more would be taken from the service on a small machine.
  shared_buffers: '256MB',
  // Several service processes with their pools, the job workers and a person with psql.
  max_connections: '200',
  // Pages are in memory or on an SSD: the default of 4 makes the planner shy of index scans.
  random_page_cost: '1.1',
  // A sale rush writes a lot of WAL: checkpoints come by the clock, not in the middle of the rush by the volume.
  max_wal_size: '2GB',
  // Segments kept for reuse spare the rush from filling new ones with zeros.
  min_wal_size: '256MB',
  // Each checkpoint makes whole pages go to the WAL again; the price of fewer is a longer crash recovery.
  checkpoint_timeout: '15min',
  // Full pages are not compressed: this build has only pglz, which takes the processor the sales need.
  wal_compression: 'off',
  // An answer leaves only after its commit is on the disk.
  synchronous_commit: 'on',
  // Backups and replicas stay possible; minimal gains nothing for small transactions.
  wal_level: 'replica',
  // Short statements cost more to compile than to run.
  jit: 'off',
  // A statement of a killed service ends soon instead of keeping its locks.
  client_connection_check_interval: '2s',
  // Slow checkpoints, deadlocks and errors; nothing of ordinary work.
  log_min_messages: 'warning',
}

/** For tests: the cluster does not survive a crash of the machine. */
const FRAGILE: Record<string, string> = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }

export const PORT = 5432

/** The arguments of postgres, the same for the same wishes, so that a running server can be compared with them. */
export function postgresArguments(options: {
  data_argument: string
  socket_folder: string
  version: string
  durable: boolean
  settings: Record<string, string>
}): string[] {
  const settings = {
    ...TUNED,
    ...(options.durable ? {} : FRAGILE),
    ...options.settings,
    // Seen in the process list; with the version, so that a server of another release is not taken over.
    cluster_name: `parterre ${options.version}`,
    listen_addresses: '',
    port: String(PORT),
    unix_socket_permissions: '0700',
    unix_socket_directories: options.socket_folder,
  }
  const pairs = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', options.data_argument, ...pairs]
}
