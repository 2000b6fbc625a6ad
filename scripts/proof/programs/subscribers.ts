/**
 * Opens WebSocket subscriptions to events and measures the time from the label `sent` of each event to its arrival. Prints `{ open }`, then each second
 * `{ received, times, closed }` with the codes of closed connections.
 */
const { url, count, name }: { url: string; count: number; name: string } = JSON.parse(process.argv[2] as string)

const report = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
let times: number[] = []
const closed: number[] = []

function connect(): Promise<void> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/api/events/out`, 'prefect')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.onopen = () => socket.send(JSON.stringify({ type: 'auth', token: null }))
  socket.onerror = () => reject(new Error('cannot connect'))
  socket.onclose = ({ code }) => void closed.push(code)
  socket.onmessage = ({ data }) => {
    const text = String(data)
    if (text.includes('"auth_success"')) {
      socket.send(JSON.stringify({ type: 'filter', filter: { event: { name: name.split(',') } } }))
      return resolve()
    }
    const sent = /"proof\.sent":"(\d+)"/.exec(text)?.[1]
    if (sent !== undefined) times.push(Date.now() - Number(sent))
  }
  return promise
}

// Fifty at a time: a listener queue is not part of the promise.
for (let n = 0; n < count; n += 50) await Promise.all(Array.from({ length: Math.min(50, count - n) }, connect))
report({ open: count })
setInterval(() => {
  report({ received: times.length, times, closed })
  times = []
}, 1000)
