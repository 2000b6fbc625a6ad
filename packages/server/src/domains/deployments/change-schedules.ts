import type { DeploymentScheduleCreate, DeploymentScheduleUpdate } from '@millrace/contracts/schedule.ts'
import { invalid } from '../../errors.ts'
import type { Micros } from '../../lib/time.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { assertUniqueSlugs, mergeSchedule, toScheduleRows } from './schedule-rows.ts'
import { deleteSchedules, insertSchedules, type ScheduleRow, updateSchedules } from './schedules.ts'

/** What becomes of a deployment's schedules. */
type Change =
  | { readonly kind: 'none' }
  | { readonly kind: 'replace'; readonly schedules: readonly DeploymentScheduleCreate[] }
  | { readonly kind: 'adjust'; readonly patched: ReadonlyMap<string, DeploymentScheduleUpdate>; readonly added: readonly DeploymentScheduleCreate[] }

/**
 * What an update of a deployment asks of its schedules. While every schedule has a slug the request speaks of each by its slug, and
 * those it does not name stay; otherwise the list replaces what is there. Refuses what is ambiguous.
 */
export function scheduleChange(existing: readonly ScheduleRow[], sent: readonly DeploymentScheduleUpdate[] | undefined): Change {
  const named = existing.length > 0 && existing.every(({ slug }) => slug !== null)
  if (named && sent?.some(({ slug }) => slug == null))
    throw scheduleError('Every schedule of this deployment has a slug: name the one that each of these is')
  if (named) return toAdjustment(existing, sent ?? [])
  return sent === undefined ? { kind: 'none' } : { kind: 'replace', schedules: sent.flatMap(toScheduleCreate) }
}

function toAdjustment(existing: readonly ScheduleRow[], sent: readonly DeploymentScheduleUpdate[]): Change {
  const bySlug = new Map(existing.map((row) => [row.slug as string, row.id]))
  const replaced = sent.flatMap(({ replaces }) => (replaces ? [replaces] : []))
  const twice = replaced.find((slug, index) => replaced.indexOf(slug) !== index)
  if (twice !== undefined) throw scheduleError(`Two schedules are to take the place of "${twice}"`)
  const patched = new Map<string, DeploymentScheduleUpdate>()
  const added: DeploymentScheduleCreate[] = []
  for (const update of sent) {
    const { slug, replaces } = update
    if (replaces && slug && bySlug.has(slug) && !replaced.includes(slug))
      throw scheduleError(`"${replaces}" cannot be renamed to "${slug}": there is a schedule of that slug`)
    const id = bySlug.get(replaces || (slug as string))
    if (id !== undefined) patched.set(id, update)
    else if (update.schedule) added.push(...toScheduleCreate(update))
    else throw scheduleError(`There is no schedule with the slug "${slug}", and none is given for a new one`)
  }
  return { kind: 'adjust', patched, added }
}

const toScheduleCreate = ({ schedule, active, ...rest }: DeploymentScheduleUpdate): DeploymentScheduleCreate[] =>
  schedule ? [{ ...rest, schedule, active: active ?? true } as DeploymentScheduleCreate] : []

const scheduleError = (why: string) => invalid(['body', 'schedules'], why)

export async function applyScheduleChange(
  context: ServerContext,
  tx: Tx,
  deployment: { id: string; live: boolean },
  existing: readonly ScheduleRow[],
  change: Change,
): Promise<void> {
  if (change.kind === 'none') return
  if (change.kind === 'replace') {
    const rows = toScheduleRows(context, deployment.id, change.schedules, deployment.live)
    assertUniqueSlugs(rows)
    await deleteSchedules(tx, deployment.id)
    await insertSchedules(tx, rows)
    return
  }
  const patched = existing.filter(({ id }) => change.patched.has(id))
  const changed = patched.map((row) =>
    mergeSchedule(row, change.patched.get(row.id) as DeploymentScheduleUpdate, context.clock.now(), deployment.live),
  )
  const added = toScheduleRows(context, deployment.id, change.added, deployment.live)
  assertUniqueSlugs([...existing.filter(({ id }) => !change.patched.has(id)), ...changed, ...added])
  await writeChanged(tx, patched, changed)
  await insertSchedules(tx, added)
}

/** Two schedules may trade slugs: those that change theirs give the old one up first, as no two may have the same at any moment. */
async function writeChanged(tx: Tx, before: readonly ScheduleRow[], after: readonly ScheduleRow[]): Promise<void> {
  const renamed = before.filter(({ slug }, index) => slug !== after[index]?.slug)
  await updateSchedules(
    tx,
    renamed.map(({ id }) => ({ id, slug: null })),
  )
  await updateSchedules(tx, after)
}

/** One schedule of a deployment, changed by its id; undefined when the deployment has no such schedule. */
export async function patchSchedule(
  tx: Tx,
  existing: readonly ScheduleRow[],
  id: string,
  update: DeploymentScheduleUpdate,
  now: Micros,
  live: boolean,
): Promise<ScheduleRow | undefined> {
  const row = existing.find((schedule) => schedule.id === id)
  if (!row) return undefined
  const changed = mergeSchedule(row, update, now, live)
  assertUniqueSlugs([...existing.filter((schedule) => schedule !== row), changed])
  await updateSchedules(tx, [changed])
  return changed
}
