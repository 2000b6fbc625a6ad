import { createHash } from 'node:crypto'
import { type Source, SourceError } from './source.ts'

/** Identifies an installation, so that a copy is continued only from the same source. */
export interface Installation {
  readonly fingerprint: string
  /** The id of its latest migration. */
  readonly revision: string
}

/** Tables of every installation of version 3. */
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

/** Throws unless the source is the database of a Prefect 3 server. */
export async function identifyInstallation(source: Source): Promise<Installation> {
  const tables = new Set(await source.tables())
  if (!tables.has('alembic_version') || !tables.has('flow_run')) {
    throw new SourceError(
      tables.has('millrace_migration')
        ? 'Source is a Millrace database, not a Prefect server database.'
        : 'Source is not a Prefect server database: table alembic_version or flow_run not found.',
    )
  }
  const missing = requiredTables.filter((table) => !tables.has(table))
  const columns = await source.columnsOf('deployment')
  // The first migration of version 3 added the limit of deployments.
  if (missing.length > 0 || !(columns.has('concurrency_limit') || columns.has('concurrency_limit_id'))) {
    throw new SourceError('Source is a Prefect server database older than 3.0. Upgrade it first with version 3: `prefect server database upgrade`.')
  }
  const [version] = await source.all<{ version_num: string }>('select version_num from alembic_version')
  if (!version) throw new SourceError('Source is empty: its server was never started.')
  return { fingerprint: await readFingerprint(source), revision: version.version_num }
}

/** The block types that a server installs at its first start have different ids in each installation. */
async function readFingerprint(source: Source): Promise<string> {
  const id = source.selectExpression('uuid', 'id')
  const rows = await source.all<{ id: string }>(`select ${id} as id from block_type order by created, id limit 3`)
  return createHash('sha256')
    .update([source.dialect, ...rows.map((row) => row.id)].join(' '))
    .digest('hex')
    .slice(0, 32)
}
