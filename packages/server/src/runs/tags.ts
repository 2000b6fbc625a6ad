import type { Write } from '../storage/dialect.ts'
import type { Row } from '../storage/tables.ts'
import type { Changes } from './changes.ts'

/** A flow run, as far as lists by tag are concerned. */
type TaggedRun = Readonly<Pick<Row<'flow_run'>, 'id' | 'tags' | 'start_time' | 'expected_start_time'>>

const insertTags = `insert into flow_run_tag (tag, started, expected, flow_run_id) select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::uuid[])`
const deleteTags = 'delete from flow_run_tag where flow_run_id = any($1::uuid[])'
const updateTags = `update flow_run_tag set started = given.started, expected = given.expected
  from unnest($1::bigint[], $2::bigint[], $3::uuid[]) as given(started, expected, id) where flow_run_tag.flow_run_id = given.id`

/** The tags of new flow runs and of those whose tags change, and the times by which lists by tag are sorted. For databases whose triggers leave it to the writer. */
export function tagWrites({ flowRuns }: Changes): Write[] {
  const created: { readonly tag: string; readonly run: TaggedRun }[] = []
  const addTags = (run: TaggedRun): void => {
    if (run.tags !== noTags) for (const tag of new Set(JSON.parse(run.tags) as string[])) created.push({ tag, run })
  }
  for (const run of flowRuns.created.values()) addTags(run)
  const retagged: string[] = []
  const changed: TaggedRun[] = []
  for (const [id, columns] of flowRuns.changed) {
    const before = flowRuns.before.get(id) as TaggedRun
    const after = { ...before, ...columns }
    const isMoved = before.start_time !== after.start_time || before.expected_start_time !== after.expected_start_time
    if (before.tags !== after.tags) {
      retagged.push(id)
      addTags(after)
    } else if (before.tags !== noTags && isMoved) changed.push(after)
  }
  const writes: Write[] = retagged.length > 0 ? [{ run: deleteTags, values: [retagged] }] : []
  if (created.length > 0)
    writes.push({
      run: insertTags,
      values: [
        created.map(({ tag }) => tag),
        created.map(({ run }) => startedOf(run)),
        created.map(({ run }) => run.expected_start_time),
        created.map(({ run }) => run.id),
      ],
    })
  if (changed.length > 0)
    writes.push({ run: updateTags, values: [changed.map(startedOf), changed.map((run) => run.expected_start_time), changed.map(({ id }) => id)] })
  return writes
}

const noTags = '[]'

const startedOf = ({ start_time, expected_start_time }: TaggedRun): number | null => start_time ?? expected_start_time
