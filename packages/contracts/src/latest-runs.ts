import Type, { type Static } from 'typebox'
import { defaulted, nullable, parameters, response, Text, Time, Uuid } from './primitives.ts'
import { StateType } from './state.ts'

const ids = defaulted(Type.Array(Uuid, { maxItems: 200 }), [])

/** Flows, deployments, or both. */
export const LatestRunsBody = parameters({ flow_ids: ids, deployment_ids: ids, limit: defaulted(Type.Integer({ minimum: 1, maximum: 50 }), 12) })
export type LatestRunsBody = Static<typeof LatestRunsBody>

/** The fields of a run that a chart mark needs. */
export const RunMark = response('RunMark', {
  id: Uuid,
  name: Text,
  state_type: nullable(StateType),
  state_name: nullable(Text),
  expected_start_time: nullable(Time),
  start_time: nullable(Time),
  total_run_time: Type.Number(),
})
export type RunMark = Static<typeof RunMark>

/** The newest due runs, newest first, and the time of the next run. */
export const LatestRuns = response('LatestRuns', { last: Type.Array(RunMark), next_scheduled_start_time: nullable(Time) })
export type LatestRuns = Static<typeof LatestRuns>

/** By the requested id. */
export const LatestRunsById = Type.Record(Type.String(), LatestRuns)
export type LatestRunsById = Static<typeof LatestRunsById>
