/**
 * Loaded into a server by `--import`. When the server exits, it writes the longest turn of the event loop and the requests of that turn to the file of
 * FUZZ_PROBE. Counts CPU time of the thread, so that other processes of a busy machine do not count.
 */
import { subscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { isMainThread } from 'node:worker_threads'

export interface ProbeResult {
  readonly requests: number
  /** The longest turn of the event loop, at most one tick too long. */
  readonly longestMs: number
  /** The last requests before the end of that turn. */
  readonly recent: readonly string[]
}

const file = process.env.FUZZ_PROBE
const tickMs = 10
const recentMax = 8

if (file && isMainThread) {
  let recent: string[] = []
  let result: ProbeResult = { requests: 0, longestMs: 0, recent: [] }
  let requests = 0
  subscribe('http.server.request.start', (message) => {
    const { method, url } = (message as { request: IncomingMessage }).request
    requests += 1
    recent.push(`${method} ${url?.slice(0, 200)}`)
    if (recent.length > recentMax) recent.shift()
  })
  let before = process.threadCpuUsage()
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    const ms = Math.round((user + system) / 1000)
    // Turns before the first request load the server.
    if (ms > result.longestMs && requests > 0) result = { requests, longestMs: ms, recent }
    recent = recent.slice(-1)
  }, tickMs).unref()
  process.on('exit', () => writeFileSync(file, JSON.stringify({ ...result, requests })))
}
