import Type, { type Static } from 'typebox'
import { lenientModel, orNull, parameters, response, Text, Time } from './primitives.ts'

/** A process that waits for deferred task runs. */
export const TaskWorkerResponse = response('TaskWorkerResponse', { identifier: Text, task_keys: Type.Array(Text), timestamp: Time })
export type TaskWorkerResponse = Static<typeof TaskWorkerResponse>

/** Drops unknown keys, unlike other filters. */
export const TaskWorkerFilter = lenientModel('TaskWorkerFilter', { task_keys: Type.Array(Text) })
export type TaskWorkerFilter = Static<typeof TaskWorkerFilter>

export const TaskWorkersFilterBody = parameters({ task_worker_filter: orNull(TaskWorkerFilter) })
export type TaskWorkersFilterBody = Static<typeof TaskWorkersFilterBody>
