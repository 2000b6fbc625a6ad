// Starts the server of the npm package. Needs Node 24 and the flags of the server: the launcher finds and sets both.
import module from 'node:module'
import { enableCompileCache, onEndOfNpx } from './run-node.mjs'

onEndOfNpx(() => process.kill(process.pid, 'SIGTERM'))
enableCompileCache()
const { main } = await import(new URL('../dist/server.mjs', import.meta.url).href)
await main(process.argv.slice(2), 'millrace server start')
// Node writes the cache at a normal exit only, and a server may be killed.
module.flushCompileCache()
