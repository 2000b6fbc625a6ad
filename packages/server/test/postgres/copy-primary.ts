import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'

/** Files of the running server, and those that a standby gets from the primary. */
const skipped = new Set(['postmaster.pid', 'postmaster.opts', 'standby.signal', 'backup_label'])
const emptied = new Set(['pg_wal', 'pg_replslot', 'pg_stat_tmp', 'pg_dynshmem', 'pg_notify'])

/**
 * Copies the data folder of a running primary on this machine, as pg_basebackup does, which the npm package lacks. The copy starts as a streaming standby.
 * Returns the settings of the standby.
 */
export async function copyPrimary(primaryUrl: string, to: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: primaryUrl })
  await client.connect()
  try {
    const { rows } = await client.query(`select current_setting('data_directory') as folder, pg_backup_start('standby', true)`)
    await copyTree(rows[0].folder, to)
    const stopped = await client.query('select labelfile from pg_backup_stop(false)')
    await writeFile(join(to, 'backup_label'), stopped.rows[0].labelfile)
    await writeFile(join(to, 'standby.signal'), '')
  } finally {
    await client.end()
  }
  const { hostname, port, username, password } = new URL(primaryUrl)
  return { primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`, hot_standby: 'on' }
}

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (skipped.has(entry.name)) continue
    const target = join(to, entry.name)
    if (entry.isFile()) await copyFile(join(from, entry.name), target).catch(ignoreVanished)
    else if (entry.isDirectory() && emptied.has(entry.name)) await mkdir(target, { mode: 0o700 })
    else if (entry.isDirectory()) await copyTree(join(from, entry.name), target).catch(ignoreVanished)
  }
}

/** A running server removes files, and its log brings the copy up to date. */
function ignoreVanished(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
