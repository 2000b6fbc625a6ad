import type { SiteConfig } from 'vitepress'
import { buildProblems } from './check-build.ts'
import { stageSite } from './stage-site.ts'

type Plugin = NonNullable<NonNullable<SiteConfig['vite']>['plugins']>[number]

/** Builds the site in one folder, and writes the finished files into another. Rejects if a page cannot be rendered or served. */
export async function buildSite(root: string, folder: string, out: string, plugin?: Plugin): Promise<void> {
  const { build } = await import('vitepress')
  stageSite(root, folder)
  const addPlugin = ({ vite }: SiteConfig) => {
    vite?.plugins?.push(plugin)
  }
  await failOnErrors(() => build(folder, { outDir: out, onAfterConfigResolve: addPlugin }))
  const problems = buildProblems(out)
  if (problems.length > 0) throw new Error(`The documentation cannot be served:\n${problems.join('\n')}`)
}

/** Serves the site while its pages change. */
export async function serveSite(root: string, folder: string, port: number): Promise<void> {
  const { createServer } = await import('vitepress')
  stageSite(root, folder)
  const server = await createServer(folder, { host: '127.0.0.1', port })
  await server.listen()
  server.printUrls()
}

/** Vue prints the error of a page that it cannot render, and VitePress publishes the page without its text. */
async function failOnErrors(work: () => Promise<void>): Promise<void> {
  const { error } = console
  let count = 0
  console.error = (...given) => {
    count += 1
    error(...given)
  }
  try {
    await work()
  } finally {
    console.error = error
  }
  if (count > 0) throw new Error(`The documentation has ${count} errors`)
}
