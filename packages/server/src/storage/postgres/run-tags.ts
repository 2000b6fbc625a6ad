import type { SqlValue } from '../connection.ts'
import { arrayEncoder } from './array-parameter.ts'

/** Runs a statement without waiting for it. */
export type RunStatement = (text: string, values: readonly SqlValue[]) => void

/** A flow run, as far as lists by tag are concerned. */
export interface TaggedRun {
  readonly id: string
  readonly tags: string
  readonly start_time: number | null
  readonly expected_start_time: number | null
}

type TaggedTimes = Pick<TaggedRun, 'start_time' | 'expected_start_time'>

const insertTags = `insert into flow_run_tag (tag, started, expected, flow_run_id) select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::uuid[])`
const updateTags = `update flow_run_tag set started = given.started, expected = given.expected
  from unnest($1::bigint[], $2::bigint[], $3::uuid[]) as given(started, expected, id) where flow_run_tag.flow_run_id = given.id`

const texts = arrayEncoder('text')
const times = arrayEncoder('int')
const ids = arrayEncoder('uuid')

/** The tags of new flow runs, and the times of changed ones by which lists by tag are sorted. */
export class RunTags {
  #created: { readonly tag: string; readonly run: TaggedRun }[] = []
  #changed = new Map<string, TaggedTimes>()

  addCreated(runs: readonly TaggedRun[]): void {
    for (const run of runs) {
      if (run.tags === noTags) continue
      for (const tag of new Set(JSON.parse(run.tags) as string[])) this.#created.push({ tag, run })
    }
  }

  /** `before` has the tags, which stay. */
  addUpdated(before: TaggedRun, after: TaggedTimes & { readonly id: string }): void {
    if (before.tags === noTags) return
    if (before.start_time === after.start_time && before.expected_start_time === after.expected_start_time) return
    this.#changed.set(after.id, after)
  }

  take(run: RunStatement): void {
    const created = this.#created
    if (created.length > 0) {
      this.#created = []
      run(insertTags, [
        texts(created.map(({ tag }) => tag)),
        times(created.map((each) => startedOf(each.run))),
        times(created.map((each) => each.run.expected_start_time)),
        ids(created.map((each) => each.run.id)),
      ])
    }
    const changed = [...this.#changed]
    if (changed.length === 0) return
    this.#changed.clear()
    run(updateTags, [
      times(changed.map(([, after]) => startedOf(after))),
      times(changed.map(([, after]) => after.expected_start_time)),
      ids(changed.map(([id]) => id)),
    ])
  }
}

const noTags = '[]'

const startedOf = ({ start_time, expected_start_time }: TaggedTimes): number | null => start_time ?? expected_start_time
