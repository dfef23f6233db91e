import { Menu as Base } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import styles from './Menu.module.css'

interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement
  children: ReactNode
  align?: 'start' | 'end'
}

export const Menu = ({ trigger, children, align = 'end' }: MenuProps) => (
  <Base.Root>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner align={align} sideOffset={6} className={styles.place}>
        <Base.Popup className={styles.popup}>{children}</Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)

export const MenuItem = ({
  children,
  icon,
  danger,
  onSelect,
}: {
  children: ReactNode
  icon?: ReactNode
  danger?: boolean
  onSelect: () => void
}) => (
  <Base.Item className={`${styles.item} ${danger ? styles.danger : ''}`} onClick={onSelect}>
    {icon}
    {children}
  </Base.Item>
)

export const MenuCheck = ({
  children,
  checked,
  onChange,
}: {
  children: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
}) => (
  <Base.CheckboxItem className={styles.item} checked={checked} onCheckedChange={onChange} closeOnClick={false}>
    <span className={styles.mark}>{checked && <Check />}</span>
    {children}
  </Base.CheckboxItem>
)

export const MenuChoice = ({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (value: string) => void
}) => (
  <Base.Group>
    <Base.GroupLabel className={styles.label}>{label}</Base.GroupLabel>
    <Base.RadioGroup value={value} onValueChange={onChange}>
      {options.map((option) => (
        <Base.RadioItem key={option.value} value={option.value} className={styles.item}>
          <span className={styles.mark}>{option.value === value && <Check />}</span>
          {option.label}
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  </Base.Group>
)

export const MenuLine = () => <Base.Separator className={styles.line} />
