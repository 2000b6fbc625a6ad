import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { classNames } from './classes.ts'
import { Icon } from './icon.tsx'

interface Crumb {
  readonly label: string
  readonly to: string
}

interface PageProps {
  readonly title: string
  /** Breadcrumbs, without the page itself. */
  readonly crumbs?: readonly Crumb[]
  /** Content beside the title, such as a state. */
  readonly titleAside?: ReactNode
  readonly actions?: ReactNode
  /** Fills the window and scrolls inside; with `wide`, only beside a sidebar: phones scroll the whole page. */
  readonly fill?: boolean | 'wide'
  readonly children: ReactNode
}

/** Page frame: title (also of the browser tab), breadcrumbs and actions. */
export function Page({ title, crumbs = [], titleAside, actions, fill = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Millrace`
  }, [title])
  return (
    <div
      className={classNames(
        'mx-auto flex w-full max-w-[110rem] flex-col px-4 pt-3 md:px-6',
        fill === 'wide' ? 'pb-3 md:h-full md:min-h-0' : fill ? 'h-full min-h-0 pb-3' : 'pb-10',
      )}
    >
      <header className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-3 gap-y-2 pb-3">
        <div className="flex min-w-0 flex-1 basis-60 flex-wrap items-center gap-x-3 gap-y-1">
          <div className="flex min-w-0 items-center gap-1.5">
            {crumbs.length > 0 && (
              <nav aria-label="Breadcrumb" className="flex min-w-0 items-center gap-1.5 text-lg">
                {crumbs.map((crumb) => (
                  <span key={crumb.to} className="flex min-w-0 items-center gap-1.5 text-soft">
                    <Link to={crumb.to} className="quiet-link truncate">
                      {crumb.label}
                    </Link>
                    <Icon name="right" size={12} className="text-faint" />
                  </span>
                ))}
              </nav>
            )}
            <h1 className="truncate font-semibold text-lg">{title}</h1>
          </div>
          {titleAside}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** Page section with a heading. */
export function Panel({ title, aside, children, className }: { title: string; aside?: ReactNode; children: ReactNode; className?: string }) {
  return (
    <section aria-label={title} className={classNames('card flex min-w-0 flex-col', className)}>
      <header className="flex min-h-10 items-center gap-2 border-b border-line px-3.5 py-1">
        <h2 className="flex-1 font-semibold">{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  )
}
