import type { RunsReportBody, RunsReportResponse } from '@millrace/contracts/run-report.ts'
import type { CallOptions } from '../http.ts'
import { ReportStream, type ReportStreamOptions } from '../subscriptions/report-stream.ts'
import { OperationGroup } from './operation-group.ts'

/** What a process reports about the runs that it executes. */
export class Runs extends OperationGroup {
  /** Reports task runs, their states, logs and states of flow runs. Each record has its own answer. A repetition has no second effect. */
  report(body: RunsReportBody, options?: CallOptions): Promise<RunsReportResponse> {
    return this.http.call('POST', '/runs/report', { body, isIdempotent: true, options })
  }

  /** Reports over one connection, with several messages on their way. Uses `report` while there is no connection. */
  openReportStream(options?: ReportStreamOptions): ReportStream {
    return new ReportStream(this.http, async (records, call) => (await this.report({ records: [...records] }, call)).answers, options)
  }
}
