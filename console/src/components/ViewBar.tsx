import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useMessages } from '../messages/messages.ts'
import { useCurrentInView } from './useCurrentInView.ts'
import styles from './ViewBar.module.css'

interface ViewBarProps {
  views: readonly { name: string; href: string; isCurrent: boolean }[]
  /** Filters, behind the views. */
  children: ReactNode
}

/** The views of a page as tabs, with filters beside them. */
export const ViewBar = ({ views, children }: ViewBarProps) => {
  const { controls } = useMessages()
  const bar = useCurrentInView(views.find(({ isCurrent }) => isCurrent)?.href ?? '')
  return (
    <div className={styles.bar}>
      <nav aria-label={controls.views}>
        <ul ref={bar}>
          {views.map(({ name, href, isCurrent }) => (
            <li key={name}>
              <Link href={href} aria-current={isCurrent ? 'page' : undefined}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {children}
    </div>
  )
}
