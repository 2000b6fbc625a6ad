import { ReportFrame } from '@millrace/contracts/run-report.ts'
import { ApiError } from '../../errors.ts'
import { writeJson } from '../../lib/json.ts'
import { JsonSyntaxError } from '../../lib/json-exact.ts'
import { closeCodes, type Peer, SocketRejection, type SocketRoute } from '../../lib/socket.ts'
import { type ActingContext, actAs, type ServerContext } from '../../storage/server-context.ts'
import { reportRecords } from './report-records.ts'

export const runReportSocket = (context: ServerContext): SocketRoute => ({
  path: '/runs/report',
  summary: 'Report what happened in runs',
  description:
    'Send `{"type": "report", "records": […]}` with the records of `POST /runs/report`. The server answers each message with `{"type": "reported", "answers": […]}` after its commit, in the order of the messages, or with `{"type": "refused", "error": {"code": …, "message": …}}` if it read none of the records. The next message is read when the answer before it was sent. If the records cannot be stored, the connection is closed with 1013: connect again and send them again.',
  scope: 'runs:write',
  kind: 'change',
  serve: (peer) => receiveReports(actAs(context, peer.actor), peer),
})

/** One message after the other, so that the records of a run stay in order. A client that does not read its answers is not read either. */
async function receiveReports(context: ActingContext, peer: Peer): Promise<void> {
  for (let message = await peer.next(); message !== undefined; message = await peer.next()) {
    const reported = answerMessage(context, peer, message)
    peer.holdPongUntil(reported)
    peer.send(writeJson(await reported))
    await peer.drained()
  }
}

async function answerMessage(context: ActingContext, peer: Peer, message: string): Promise<object> {
  const reader = peer.read(ReportFrame, await parseMessage(peer, message))
  if ('refusal' in reader) return { type: 'refused', error: { code: 'INVALID_REQUEST', message: reader.refusal } }
  try {
    return { type: 'reported', answers: await reportRecords(context, reader.value.records) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status >= 500) throw new SocketRejection(closeCodes.tryLater, 'Records could not be stored. Send them again.')
    return { type: 'refused', error: { code: error.code, message: error.message } }
  }
}

async function parseMessage(peer: Peer, message: string): Promise<unknown> {
  try {
    return await peer.parse(message)
  } catch (error) {
    throw new SocketRejection(closeCodes.notText, error instanceof JsonSyntaxError ? 'Message is not valid JSON.' : (error as Error).message)
  }
}
