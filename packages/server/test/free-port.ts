import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Below the ports that systems give to outgoing connections: one of those may be in use again before the caller takes it. */
const [lowest, highest] = [20_000, 32_000]
const attemptsMax = 50

/** A port of 127.0.0.1 that was free a moment ago. Another process may take it before the caller does. */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt < attemptsMax; attempt += 1) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (await canListen(port)) return port
  }
  return listenOnce(0)
}

const canListen = (port: number): Promise<boolean> =>
  listenOnce(port).then(
    () => true,
    () => false,
  )

async function listenOnce(wanted: number): Promise<number> {
  const probe = createServer().listen(wanted, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
