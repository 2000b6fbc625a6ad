import type { AddressInfo } from 'node:net'
import { migratedSqlite } from '../../server/test/databases.ts'
import { startApp, type TestApp } from '../../server/test/setup.ts'
import { MillraceClient } from '../src/client.ts'
import type { ClientOptions } from '../src/http.ts'

/** A server that listens on a port of its own, and can be restarted there. */
export interface TestServer {
  app: TestApp
  readonly url: string
  client(options?: Partial<ClientOptions>): MillraceClient
  /** Ends the server without close frames, like a killed process. */
  kill(): Promise<void>
  /** Starts the server again, on the same port and database. */
  restart(): Promise<void>
  /** Ends the server and removes its database. */
  drop(): Promise<void>
}

export async function startTestServer(env: Record<string, string> = {}): Promise<TestServer> {
  const database = await migratedSqlite()
  let seed = 1
  const start = async (port: number) => {
    const app = await startApp(database.url, { env, seed })
    await app.server.listen({ host: '127.0.0.1', port })
    return app
  }
  const app = await start(0)
  const { port } = app.server.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/api`
  const server: TestServer = {
    app,
    url,
    client: (options) => new MillraceClient({ url, retry: { delaySeconds: 0.02, delaySecondsMax: 0.1 }, ...options }),
    async kill() {
      for (const socket of server.app.server.websocketServer.clients) socket.terminate()
      await server.app.close()
    },
    async restart() {
      const { clock } = server.app
      // Ids and times continue: a real server would neither repeat an id nor go back in time.
      seed += 1
      server.app = await start(port)
      server.app.clock.set(clock.now() + 1_000_000)
    },
    async drop() {
      await server.app.close()
      await database.drop()
    },
  }
  return server
}
