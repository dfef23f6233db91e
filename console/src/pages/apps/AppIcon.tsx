import styles from './Apps.module.css'

/** The icon of an app, or its first letter. */
export const AppIcon = ({ icon, name }: { icon: string | null; name: string }) =>
  icon ? (
    <img className={styles.icon} src={icon} alt="" width={48} height={48} />
  ) : (
    <span className={styles.icon} aria-hidden>
      {name.slice(0, 1).toUpperCase()}
    </span>
  )
