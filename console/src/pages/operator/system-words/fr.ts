import { plural } from '../../../messages/plural.ts'
import type { SystemWords } from './en.ts'

const fr: SystemWords = {
  service: 'Service',
  database: 'Base de données',
  queues: 'Files d’attente',
  release: 'Version',
  node: 'Node.js',
  workers: 'Processus HTTP',
  since: 'En marche depuis',
  memory: 'Mémoire du processus qui a répondu',
  latest: 'Dernière migration',
  applied: 'Migrations appliquées',
  pending: 'Migrations en attente',
  none: 'Aucune',
  version: 'PostgreSQL',
  embedded: 'Intégrée',
  external: 'Externe',
  size: 'Taille de la base de données',
  connections: 'Connexions',
  free: 'Espace disque libre',
  shards: 'Fragments des commandes',
  bulkJobs: 'Imports en attente ou en cours',
  deliveries: 'Événements en attente d’un webhook',
  failing: 'Webhooks dont le récepteur échoue',
  lifecycle: 'Messages aux applications en attente',
  checks: 'Vérifications',
  checkAgain: 'Vérifier encore',
  noFaults: 'Tout va bien. Vérifié :',
  faults: (count) =>
    plural('fr', count, { one: '# point à regarder. Vérifié :', other: '# points à regarder. Vérifié :' }),
  findings: { ok: 'Bien', note: 'Note', fault: 'Défaut' },
  repair: 'Ce que ferait doctor --repair',
  nothingToRepair: 'Rien : les textes comparés correspondent à leurs lignes. Avec --all, tous sont comparés.',
  repairHelp: 'Réécrire ces textes, parmi ceux qui ont été comparés. Avec --all, tous sont comparés.',
}
export default fr
