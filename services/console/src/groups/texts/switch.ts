import { declareTexts } from '../../texts/language.ts'

/** The texts about the switch of organizations, groups and roles. */
export const switchTexts = declareTexts({
  en: {
    off: 'Organizations, groups and roles are switched off.',
    offText:
      'You can prepare them here, but apps are not told of them, and they decide about no token. To switch them on, set OAUTH2_ORGANIZATIONS_ENABLED=true, and restart the processes.',
  },
  de: {
    off: 'Organisationen, Gruppen und Rollen sind ausgeschaltet.',
    offText:
      'Sie können sie hier vorbereiten, aber Apps erfahren nichts von ihnen, und sie entscheiden über kein Token. Zum Einschalten setzen Sie OAUTH2_ORGANIZATIONS_ENABLED=true, und starten Sie die Prozesse neu.',
  },
  ar: {
    off: 'المؤسسات والمجموعات والأدوار متوقفة.',
    offText:
      'يمكنك إعدادها هنا، لكن لا تعلم بها التطبيقات ولا تقرّر في أي رمز. لتشغيلها اضبط OAUTH2_ORGANIZATIONS_ENABLED=true ثم أعد تشغيل العمليات.',
  },
})
