import type { Texts } from './en.ts'

export const texts = {
  lead: 'Inicie sesión en las aplicaciones con una sola cuenta.',
  account: 'Su cuenta',
  accountText: 'Su perfil, contraseña, segundos factores y aplicaciones.',
  console: 'Consola',
  consoleText: 'Para administradores: aplicaciones, usuarios y actividad.',
  documentation: 'Documentación',
  documentationText: 'Cómo crear aplicaciones con este servidor, operarlo y administrarlo. En inglés.',
  api: 'Referencia de la API',
  apiText: 'Para desarrolladores: todos los puntos de acceso, para leer y probar.',
  metadata: 'Metadatos del servidor',
  metadataText: 'Para bibliotecas cliente: las direcciones de todos los puntos de acceso.',
} satisfies Texts
