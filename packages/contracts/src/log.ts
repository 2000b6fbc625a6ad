import Type, { type Static } from 'typebox'
import { byId, bySearch, byTime, flag, ids, operatorField } from './filter.ts'
import { limit, offset } from './paging.ts'
import { defaulted, entityFields, model, namedEnum, nullable, orNull, parameters, response, Text, Time, Uuid } from './primitives.ts'

const line = { name: Text, level: Type.Integer(), message: Text, timestamp: Time }

export const Log = response('Log', { ...entityFields, ...line, flow_run_id: nullable(Uuid), task_run_id: nullable(Uuid) })
export type Log = Static<typeof Log>

/** The server drops NUL characters instead of rejecting the whole batch of logs. */
const anyText = Type.String({ 'x-text': false })
const sentLine = { ...line, name: anyText, message: anyText }

export const LogCreate = model('LogCreate', { ...sentLine, flow_run_id: orNull(Uuid), task_run_id: orNull(Uuid) })
export type LogCreate = Static<typeof LogCreate>

/** The body is the list itself. */
export const LogsCreateBody = Type.Array(LogCreate)
export type LogsCreateBody = Static<typeof LogsCreateBody>

const bound = orNull(Type.Integer())

export const LogFilterLevel = model('LogFilterLevel', { ge_: bound, le_: bound })
export const LogFilterTimestamp = model('LogFilterTimestamp', byTime)
export const LogFilterFlowRunId = model('LogFilterFlowRunId', byId)
export const LogFilterTaskRunId = model('LogFilterTaskRunId', { any_: ids, is_null_: flag })
export const LogFilterTextSearch = model('LogFilterTextSearch', bySearch)

export const LogFilter = model('LogFilter', {
  ...operatorField,
  level: orNull(LogFilterLevel),
  timestamp: orNull(LogFilterTimestamp),
  flow_run_id: orNull(LogFilterFlowRunId),
  task_run_id: orNull(LogFilterTaskRunId),
  text: orNull(LogFilterTextSearch),
})
export type LogFilter = Static<typeof LogFilter>

export const LogSort = namedEnum('LogSort', 'TIMESTAMP_ASC', 'TIMESTAMP_DESC')
export type LogSort = Static<typeof LogSort>

export const LogsFilterBody = parameters({ offset, logs: orNull(LogFilter), sort: defaulted(LogSort, 'TIMESTAMP_ASC'), limit })
export type LogsFilterBody = Static<typeof LogsFilterBody>
