/** For `npm run dev`: starts the server from its sources, so that Node can watch them. */
import { main } from '../packages/server/src/main.ts'

await main(process.argv.slice(2))
