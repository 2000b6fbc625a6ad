import type { DefaultTheme } from 'vitepress'
import type { PageGroup } from './pages.ts'

/** The sidebar of all pages, and those of the folders whose pages are shown there only. */
export function sidebars(groups: readonly PageGroup[]): DefaultTheme.SidebarMulti {
  const own = groups.filter(({ entryOf }) => entryOf !== undefined)
  const shared = groups.filter(({ entryOf }) => entryOf === undefined)
  const common = shared.map((group) => sidebarGroup(group, own))
  return Object.fromEntries([['/', common], ...own.map((group) => [folderPath(group), [...common, sidebarGroup(group, [])]])])
}

function sidebarGroup({ title, members }: PageGroup, own: readonly PageGroup[]): DefaultTheme.SidebarItem {
  const entries = own.filter(({ entryOf }) => entryOf === title).map((group) => ({ text: group.title, link: folderPath(group) }))
  return { text: title, items: [...members.map(({ title, path }) => ({ text: title, link: pageLink(path) })), ...entries] }
}

/** `docs/adr` is at `/adr/`. */
const folderPath = ({ folder = '' }: PageGroup): string => `${folder.replace(/^docs/, '')}/`

/** The address of a page, from the root of the site. */
export const pageLink = (path: string): string => `/${path.replace(/(?:^|(?<=\/))index\.md$|\.md$/, '')}`
