import type { DeploymentScheduleCreate, DeploymentScheduleUpdate } from '@millrace/contracts/schedule.ts'
import { invalid } from '../../errors.ts'
import type { Micros } from '../../lib/time.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { assertUniqueSlugs, mergeSchedule, toScheduleRows } from './schedule-rows.ts'
import { deleteSchedules, insertSchedules, type ScheduleRow, updateSchedules } from './store.ts'

/** A change of a deployment's schedules. */
type Change =
  | { readonly kind: 'none' }
  | { readonly kind: 'replace'; readonly schedules: readonly DeploymentScheduleCreate[] }
  | { readonly kind: 'adjust'; readonly patched: ReadonlyMap<string, DeploymentScheduleUpdate>; readonly added: readonly DeploymentScheduleCreate[] }

/**
 * The change that an update of a deployment requests. If every schedule has a slug, the request addresses schedules by slug and the
 * others stay; otherwise the list replaces all schedules. Throws if the request is ambiguous.
 */
export function scheduleChange(existing: readonly ScheduleRow[], sent: readonly DeploymentScheduleUpdate[] | undefined): Change {
  const haveSlugs = existing.length > 0 && existing.every(({ slug }) => slug !== null)
  if (haveSlugs && sent?.some(({ slug }) => slug == null))
    throw scheduleError('Every schedule of this deployment has a slug. Give a slug for each schedule of the update.')
  if (haveSlugs) return toAdjustment(existing, sent ?? [])
  return sent === undefined ? { kind: 'none' } : { kind: 'replace', schedules: sent.flatMap(toScheduleCreate) }
}

function toAdjustment(existing: readonly ScheduleRow[], sent: readonly DeploymentScheduleUpdate[]): Change {
  const bySlug = new Map(existing.map((row) => [row.slug as string, row.id]))
  const replaced = sent.flatMap(({ replaces }) => (replaces ? [replaces] : []))
  const duplicate = replaced.find((slug, index) => replaced.indexOf(slug) !== index)
  if (duplicate !== undefined) throw scheduleError(`Two schedules replace "${duplicate}".`)
  const patched = new Map<string, DeploymentScheduleUpdate>()
  const added: DeploymentScheduleCreate[] = []
  for (const update of sent) {
    const { slug, replaces } = update
    if (replaces && slug && bySlug.has(slug) && !replaced.includes(slug))
      throw scheduleError(`Cannot rename "${replaces}" to "${slug}": another schedule has that slug.`)
    const id = bySlug.get(replaces || (slug as string))
    if (id !== undefined) patched.set(id, update)
    else if (update.schedule) added.push(...toScheduleCreate(update))
    else throw scheduleError(`No schedule has the slug "${slug}". Give a "schedule" to create one.`)
  }
  return { kind: 'adjust', patched, added }
}

const toScheduleCreate = ({ schedule, active, ...rest }: DeploymentScheduleUpdate): DeploymentScheduleCreate[] =>
  schedule ? [{ ...rest, schedule, active: active ?? true } as DeploymentScheduleCreate] : []

const scheduleError = (message: string) => invalid(['body', 'schedules'], message)

export async function applyScheduleChange(
  context: ServerContext,
  tx: Tx,
  deployment: { id: string; isActive: boolean },
  existing: readonly ScheduleRow[],
  change: Change,
): Promise<void> {
  if (change.kind === 'none') return
  if (change.kind === 'replace') {
    const rows = toScheduleRows(context, deployment.id, change.schedules, deployment.isActive)
    assertUniqueSlugs(rows)
    await deleteSchedules(tx, deployment.id)
    await insertSchedules(tx, rows)
    return
  }
  const patched = existing.filter(({ id }) => change.patched.has(id))
  const changed = patched.map((row) =>
    mergeSchedule(row, change.patched.get(row.id) as DeploymentScheduleUpdate, context.clock.now(), deployment.isActive),
  )
  const added = toScheduleRows(context, deployment.id, change.added, deployment.isActive)
  assertUniqueSlugs([...existing.filter(({ id }) => !change.patched.has(id)), ...changed, ...added])
  await writeChanged(tx, patched, changed)
  await insertSchedules(tx, added)
}

/** Two schedules may swap slugs. Slugs are unique at any moment, so changed ones are cleared first. */
async function writeChanged(tx: Tx, before: readonly ScheduleRow[], after: readonly ScheduleRow[]): Promise<void> {
  const renamed = before.filter(({ slug }, index) => slug !== after[index]?.slug)
  await updateSchedules(
    tx,
    renamed.map(({ id }) => ({ id, slug: null })),
  )
  await updateSchedules(tx, after)
}

/** Updates one schedule by id. Undefined if the deployment has no such schedule. */
export async function patchSchedule(
  tx: Tx,
  existing: readonly ScheduleRow[],
  id: string,
  update: DeploymentScheduleUpdate,
  now: Micros,
  isActive: boolean,
): Promise<ScheduleRow | undefined> {
  const row = existing.find((schedule) => schedule.id === id)
  if (!row) return undefined
  const changed = mergeSchedule(row, update, now, isActive)
  assertUniqueSlugs([...existing.filter((schedule) => schedule !== row), changed])
  await updateSchedules(tx, [changed])
  return changed
}
