import { benchmarkFiles } from '../../packages/bench/src/pages.ts'
import { readResults } from '../measure/results-file.ts'
import { readSource, repositoryRoot } from '../repository.ts'

/** Pages and plots of the committed benchmark results. */
export function benchmarkPages(root = repositoryRoot): Record<string, string> {
  const template = (name: string) => readSource(root, `packages/bench/pages/${name}.md`)
  return benchmarkFiles(readResults(root), { benchmarks: template('benchmarks'), capacity: template('capacity') })
}
