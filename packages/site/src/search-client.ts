import MiniSearch, { type Options } from 'minisearch'
import { searchOptions } from './search-ranking.ts'

/**
 * Takes the place of MiniSearch in the search box of VitePress. The options of a site can only be data, because the browser would have to evaluate
 * functions as text, which the content security policy forbids.
 */
const SiteSearch = {
  loadJSON: <T>(json: string, options: Options<T>): MiniSearch<T> => MiniSearch.loadJSON(json, { ...options, searchOptions }),
}

// biome-ignore lint/style/noDefaultExport: the search box imports the default export of MiniSearch
export default SiteSearch
