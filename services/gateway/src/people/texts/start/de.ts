import type { Texts } from './en.ts'

export const texts = {
  lead: 'Mit einem Konto bei Apps anmelden.',
  account: 'Ihr Konto',
  accountText: 'Ihr Profil, Passwort, zweite Faktoren und Apps.',
  console: 'Konsole',
  consoleText: 'Für Administratoren: Apps, Benutzer und Aktivität.',
  documentation: 'Dokumentation',
  documentationText: 'Apps entwickeln, den Server betreiben und verwalten. Auf Englisch.',
  api: 'API-Referenz',
  apiText: 'Für Entwickler: alle Endpunkte zum Lesen und Ausprobieren.',
  metadata: 'Server-Metadaten',
  metadataText: 'Für Client-Bibliotheken: die Adressen aller Endpunkte.',
} satisfies Texts
