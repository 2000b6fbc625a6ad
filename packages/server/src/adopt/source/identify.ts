import { createHash } from 'node:crypto'
import { type Source, SourceError } from './source.ts'

/** Which installation a source is: told apart from others, so that a copy is only ever continued from where it came. */
export interface Installation {
  readonly fingerprint: string
  /** The name of its newest migration. */
  readonly revision: string
}

/** Every installation of version 3 has them. */
const requiredTables = [
  'flow',
  'flow_run',
  'flow_run_state',
  'task_run',
  'task_run_state',
  'deployment',
  'deployment_schedule',
  'work_pool',
  'events',
  'log',
]

/** Refuses what is no database of a Prefect 3 server. */
export async function identifyInstallation(source: Source): Promise<Installation> {
  const tables = new Set(await source.tables())
  if (!tables.has('alembic_version') || !tables.has('flow_run')) {
    throw new SourceError(
      tables.has('millrace_migration')
        ? 'The source is a database of Millrace, not of a Prefect server'
        : 'The source is no database of a Prefect server: it lacks the table alembic_version or flow_run',
    )
  }
  const lacking = requiredTables.filter((table) => !tables.has(table))
  const columns = await source.columnsOf('deployment')
  // The first migration of version 3 gave deployments a limit.
  if (lacking.length > 0 || !(columns.has('concurrency_limit') || columns.has('concurrency_limit_id'))) {
    throw new SourceError(
      'The source is a database of a Prefect server older than 3.0. Have a server of version 3 upgrade it first: `prefect server database upgrade`',
    )
  }
  const [version] = await source.all<{ version_num: string }>('select version_num from alembic_version')
  if (!version) throw new SourceError('The source is empty: its server has never been started')
  return { fingerprint: await readFingerprint(source), revision: version.version_num }
}

/** The block types that a server puts in place when it first starts have ids of their own in each installation. */
async function readFingerprint(source: Source): Promise<string> {
  const id = source.selectExpression('uuid', 'id')
  const rows = await source.all<{ id: string }>(`select ${id} as id from block_type order by created, id limit 3`)
  return createHash('sha256')
    .update([source.dialect, ...rows.map((row) => row.id)].join(' '))
    .digest('hex')
    .slice(0, 32)
}
