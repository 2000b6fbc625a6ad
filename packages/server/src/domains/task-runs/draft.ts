import type { Received } from '@millrace/contracts/primitives.ts'
import type { TaskRunCreate } from '@millrace/contracts/task-run.ts'
import { invalid } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { toMicros } from '../../lib/time.ts'
import type { TaskRunDraft } from '../../runs/command.ts'
import { withDefaultTaskPolicy } from '../../runs/task-run-policy.ts'
import { toReceivedState } from '../run-states/received-state.ts'

/** The draft of a request. */
export function toTaskRunDraft(body: Received<typeof TaskRunCreate>, cacheKeyLengthMax: number): TaskRunDraft {
  if (body.cache_key !== null && body.cache_key.length > cacheKeyLengthMax) {
    throw invalid(['body', 'cache_key'], `The cache key is too long: at most ${cacheKeyLengthMax} characters are allowed`, body.cache_key)
  }
  return {
    id: body.id,
    name: body.name ?? null,
    state: body.state && toReceivedState(body.state),
    flow_run_id: body.flow_run_id,
    task_key: body.task_key,
    dynamic_key: body.dynamic_key,
    cache_key: body.cache_key,
    cache_expiration: body.cache_expiration === null ? null : toMicros(body.cache_expiration),
    task_version: body.task_version,
    empirical_policy: withDefaultTaskPolicy(body.empirical_policy),
    tags: body.tags,
    labels: body.labels,
    task_inputs: jsonText(body.task_inputs),
  }
}
