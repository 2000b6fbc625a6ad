import type { RecordAnswer, ReportedTaskRun, RunRecord } from '@millrace/contracts/run-report.ts'
import { formatTime } from '../src/lib/time.ts'
import type { TestApp } from './setup.ts'
import { newId, start } from './task-run-events.ts'

type Task = Omit<ReportedTaskRun, 'dynamic_key'> & Partial<ReportedTaskRun>
type Kind = RunRecord['kind']
type Fields<K extends Kind> = Partial<Omit<Extract<RunRecord, { kind: K }>, 'kind'>>

/** A flow run that its first process has not started. */
export async function aFlowRun(app: TestApp, fields: object = {}): Promise<string> {
  const flow = (await app.call('POST', '/flows/', { name: 'f' })).body
  return (await app.call('POST', '/flow_runs/', { flow_id: flow.id, state: { type: 'PENDING' }, ...fields })).body.id
}

export const timeAt = (seconds: number): string => formatTime(start + seconds * 1_000_000)

/** Builds the records of one flow run, with rising numbers. */
export class Reporter {
  readonly flowRun: string
  attempt = 0
  #number = 0

  constructor(flowRun: string) {
    this.flowRun = flowRun
  }

  #record<K extends Kind>(kind: K, fields: object): RunRecord {
    this.#number += 1
    return { kind, number: this.#number, id: newId(), flow_run_id: this.flowRun, attempt: this.attempt, ...fields } as RunRecord
  }

  state(type: string, fields: Fields<'state'> = {}): RunRecord {
    return this.#record('state', { state: { type }, ...fields })
  }

  finished(type: string, fields: Fields<'finished'> = {}): RunRecord {
    return this.#record('finished', { state: { type }, ...fields })
  }

  created(taskRun: Task, seconds: number, fields: Fields<'created'> = {}): RunRecord {
    return this.#record('created', { timestamp: timeAt(seconds), task_run: { dynamic_key: '0', ...taskRun }, ...fields })
  }

  taskState(taskRun: Task, type: string, seconds: number, fields: Fields<'task_state'> = {}): RunRecord {
    return this.#record('task_state', { task_run: { dynamic_key: '0', ...taskRun }, state: { type, timestamp: timeAt(seconds) }, ...fields })
  }

  log(message: string, fields: Fields<'log'> = {}): RunRecord {
    return this.#record('log', { name: 'test', level: 20, message, timestamp: timeAt(this.#number), ...fields })
  }
}

/** Sends records in one request. */
export async function report(app: TestApp, records: readonly unknown[]): Promise<RecordAnswer[]> {
  const { status, body } = await app.call('POST', '/runs/report', { records })
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body.answers
}

export const statusesOf = (answers: readonly RecordAnswer[]): string[] =>
  answers.map(({ status, error, result }) => error?.code ?? (status === 'rejected' ? `rejected into ${result?.state?.name}` : status))
