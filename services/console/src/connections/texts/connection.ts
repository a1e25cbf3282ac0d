import type { Labels } from '../../list/labels.ts'
import { declareTexts } from '../../texts/language.ts'

/** The fields of a connection that are no columns of its list. */
type NoColumn =
  | 'name'
  | 'connection_id'
  | 'revision'
  | 'disabled_at'
  | 'client_id'
  | 'client_authentication'
  | 'has_client_secret'
  | 'scope'
  | 'acr_values'
  | 'tenants'
  | 'trusts_second_factor'
  | 'new_users'
  | 'mapping'
  | 'domains'
  | 'on_login_page'
  | 'redirect_uri'
  | 'backchannel_logout_uri'
  | 'jwks_uri'
  | 'links'
  | 'orphaned_links'

/** The texts about connections as such. */
export const connectionTexts = declareTexts({
  en: {
    connections: 'Connections',
    about: 'Other identity providers, through which users log in.',
    create: 'Create connection',
    newText:
      'Register Gatehouse as a web app at the provider first: it gives you a client ID and a secret. The addresses to register there are on the page of the new connection.',
    searchHint: 'A part of the name',
    empty: 'No connections yet',
    emptyText: 'Create one to let people log in through their company’s identity provider.',
    noneOfOrganization: 'Its members log in by ways of the instance alone.',
    labels: { kind: 'Kind', organization: 'Organization', issuer: 'Issuer' } satisfies Labels<
      '/admin/api/connections',
      NoColumn
    >,
    kindText: 'How Gatehouse talks to the provider. It stays as it is.',
    organizationText:
      'Leave it empty for a connection of the instance, by which a login counts everywhere. A login by a connection of an organization counts for that organization alone. It stays as it is.',
    searchOrganization: 'Search organizations',
    ofInstance: 'The instance',
    readOnly: 'Only owners change connections.',
    created: (name: string) => `${name} is created. Register its addresses at the provider now.`,
    overview: 'Overview',
    settings: 'Settings',
    mapping: 'Mapping',
    links: 'Links',
    tryIt: 'Test login',
    history: 'Changes',
    addresses: 'Addresses to register at the provider',
    addressesText:
      'The provider accepts logins only at a redirect URI that is registered there, as it is here.',
    redirectUri: 'Redirect URI',
    logoutUri: 'Back-channel logout URI',
    keysUri: 'Address of the public key',
    secret: 'Secret stored',
    linkCount: 'Links',
    orphanedCount: 'Links that lead to nobody',
    disabledSince: 'Disabled since',
    disableEnds: [
      'Nobody logs in by it any more.',
      'The logins that came by it end at once, and so does what was granted after them: access and refresh tokens.',
      'Enabling it brings none of that back. Links, settings and mapping stay.',
    ],
    disabledNotice: (name: string) => `${name} is disabled.`,
    enabledNotice: (name: string) => `${name} is enabled.`,
    disabledAll: (count: string) => `${count} connections are disabled.`,
    enabledAll: (count: string) => `${count} connections are enabled.`,
    danger: 'Danger zone',
    deleteText: 'Deletes the connection for good. The users stay.',
    deleteTitle: (name: string) => `Delete ${name}?`,
    deleteEnds: [
      'Its links go with it, and people who have no other way to log in cannot log in any more.',
      'The groups and roles that its mapping gave are taken.',
      'The logins that came by it end at once, and so does what was granted after them.',
      'It cannot be undone, and its ID is never used again.',
    ],
    deleted: (name: string) => `${name} is deleted.`,
    tryText:
      'Log in at the provider as somebody, and see what it says about them, what the mapping gives, and whether they could log in.',
    tryNothing:
      'Nothing is stored: no user, no link and no session. It also works while the connection is disabled.',
    tryNow: 'Try it in a new tab',
  },
  de: {
    connections: 'Verbindungen',
    about: 'Andere Identitätsanbieter, über die sich Benutzer anmelden.',
    create: 'Verbindung anlegen',
    newText:
      'Registrieren Sie Gatehouse zuerst beim Anbieter als Web-App: Von ihm kommen Client-ID und Secret. Die Adressen, die dort einzutragen sind, stehen danach auf der Seite der Verbindung.',
    searchHint: 'Ein Teil des Namens',
    empty: 'Noch keine Verbindungen',
    emptyText: 'Legen Sie eine an, damit Menschen sich über den Anbieter ihrer Firma anmelden.',
    noneOfOrganization: 'Ihre Mitglieder melden sich nur auf Wegen der Instanz an.',
    labels: { kind: 'Art', organization: 'Organisation', issuer: 'Issuer' },
    kindText: 'Wie Gatehouse mit dem Anbieter spricht. Das bleibt so.',
    organizationText:
      'Leer für eine Verbindung der Instanz: Eine Anmeldung über sie zählt überall. Eine Anmeldung über die Verbindung einer Organisation zählt nur für diese Organisation. Das bleibt so.',
    searchOrganization: 'Organisationen suchen',
    ofInstance: 'Die Instanz',
    readOnly: 'Nur Inhaber ändern Verbindungen.',
    created: (name) => `${name} ist angelegt. Tragen Sie jetzt die Adressen beim Anbieter ein.`,
    overview: 'Überblick',
    settings: 'Einstellungen',
    mapping: 'Zuordnung',
    links: 'Verknüpfungen',
    tryIt: 'Probeanmeldung',
    history: 'Änderungen',
    addresses: 'Adressen für den Anbieter',
    addressesText:
      'Der Anbieter nimmt Anmeldungen nur an einer Redirect-URI an, die dort genau so eingetragen ist wie hier.',
    redirectUri: 'Redirect-URI',
    logoutUri: 'Back-Channel-Logout-URI',
    keysUri: 'Adresse des öffentlichen Schlüssels',
    secret: 'Secret gespeichert',
    linkCount: 'Verknüpfungen',
    orphanedCount: 'Verknüpfungen, die zu niemandem führen',
    disabledSince: 'Deaktiviert seit',
    disableEnds: [
      'Niemand meldet sich mehr über sie an.',
      'Die Anmeldungen, die über sie kamen, enden sofort, ebenso was danach erteilt wurde: Access- und Refresh-Tokens.',
      'Wird sie wieder aktiviert, kommt davon nichts zurück. Verknüpfungen, Einstellungen und Zuordnung bleiben.',
    ],
    disabledNotice: (name) => `${name} ist deaktiviert.`,
    enabledNotice: (name) => `${name} ist aktiviert.`,
    disabledAll: (count) => `${count} Verbindungen sind deaktiviert.`,
    enabledAll: (count) => `${count} Verbindungen sind aktiviert.`,
    danger: 'Gefahrenbereich',
    deleteText: 'Löscht die Verbindung endgültig. Die Benutzer bleiben.',
    deleteTitle: (name) => `${name} löschen?`,
    deleteEnds: [
      'Ihre Verknüpfungen verschwinden mit ihr; wer keinen anderen Weg hat, kann sich nicht mehr anmelden.',
      'Gruppen und Rollen, die ihre Zuordnung gab, werden genommen.',
      'Die Anmeldungen, die über sie kamen, enden sofort, ebenso was danach erteilt wurde.',
      'Das lässt sich nicht rückgängig machen, und ihre ID wird nie wieder vergeben.',
    ],
    deleted: (name) => `${name} ist gelöscht.`,
    tryText:
      'Melden Sie sich beim Anbieter als jemand an und sehen Sie, was er sagt, was die Zuordnung gibt und ob die Anmeldung gelänge.',
    tryNothing:
      'Nichts wird gespeichert: kein Benutzer, keine Verknüpfung, keine Sitzung. Es geht auch, solange die Verbindung deaktiviert ist.',
    tryNow: 'In neuem Tab ausprobieren',
  },
  ar: {
    connections: 'الاتصالات',
    about: 'مزوّدو هوية آخرون يسجّل المستخدمون الدخول عبرهم.',
    create: 'إنشاء اتصال',
    newText:
      'سجّل Gatehouse أولًا لدى المزوّد كتطبيق ويب: يعطيك معرّف عميل وسرًا. وتجد العناوين الواجب تسجيلها هناك في صفحة الاتصال الجديد.',
    searchHint: 'جزء من الاسم',
    empty: 'لا توجد اتصالات بعد',
    emptyText: 'أنشئ اتصالًا ليسجّل الناس الدخول عبر مزوّد هوية شركتهم.',
    noneOfOrganization: 'يسجّل أعضاؤها الدخول بطرق النظام وحدها.',
    labels: { kind: 'النوع', organization: 'المؤسسة', issuer: 'جهة الإصدار' },
    kindText: 'كيف يتحدث Gatehouse مع المزوّد. ويبقى كما هو.',
    organizationText:
      'اتركه فارغًا لاتصال للنظام، حيث يُحتسب تسجيل الدخول به في كل مكان. أما تسجيل الدخول باتصال مؤسسة فيُحتسب لتلك المؤسسة وحدها. ويبقى كما هو.',
    searchOrganization: 'البحث في المؤسسات',
    ofInstance: 'النظام',
    readOnly: 'المالكون وحدهم يغيّرون الاتصالات.',
    created: (name) => `تم إنشاء ${name}. سجّل الآن عناوينه لدى المزوّد.`,
    overview: 'نظرة عامة',
    settings: 'الإعدادات',
    mapping: 'التعيين',
    links: 'الروابط',
    tryIt: 'تجربة تسجيل الدخول',
    history: 'التغييرات',
    addresses: 'عناوين تُسجَّل لدى المزوّد',
    addressesText: 'لا يقبل المزوّد تسجيل الدخول إلا عند عنوان إعادة توجيه مسجّل لديه كما هو هنا.',
    redirectUri: 'عنوان إعادة التوجيه',
    logoutUri: 'عنوان تسجيل الخروج الخلفي',
    keysUri: 'عنوان المفتاح العام',
    secret: 'السر مخزَّن',
    linkCount: 'الروابط',
    orphanedCount: 'روابط لا تؤدي إلى أحد',
    disabledSince: 'معطّل منذ',
    disableEnds: [
      'لن يسجّل أحد الدخول به بعد ذلك.',
      'تنتهي فورًا عمليات تسجيل الدخول التي جاءت به وما مُنح بعدها: رموز الوصول والتحديث.',
      'لا يعيد تفعيله شيئًا من ذلك. وتبقى الروابط والإعدادات والتعيين.',
    ],
    disabledNotice: (name) => `تم تعطيل ${name}.`,
    enabledNotice: (name) => `تم تفعيل ${name}.`,
    disabledAll: (count) => `تم تعطيل ${count} من الاتصالات.`,
    enabledAll: (count) => `تم تفعيل ${count} من الاتصالات.`,
    danger: 'منطقة الخطر',
    deleteText: 'يحذف الاتصال نهائيًا. ويبقى المستخدمون.',
    deleteTitle: (name) => `حذف ${name}؟`,
    deleteEnds: [
      'تُحذف معه روابطه، ومن ليس له طريق آخر لن يستطيع تسجيل الدخول.',
      'تُسحب المجموعات والأدوار التي منحها تعيينه.',
      'تنتهي فورًا عمليات تسجيل الدخول التي جاءت به وما مُنح بعدها.',
      'لا يمكن التراجع عن ذلك، ولا يُستخدم معرّفه مرة أخرى أبدًا.',
    ],
    deleted: (name) => `تم حذف ${name}.`,
    tryText:
      'سجّل الدخول لدى المزوّد كشخص ما، وانظر ما يقوله عنه، وما يمنحه التعيين، وهل كان سيتمكن من الدخول.',
    tryNothing: 'لا يُخزَّن شيء: لا مستخدم ولا رابط ولا جلسة. ويعمل أيضًا والاتصال معطّل.',
    tryNow: 'جرّبه في علامة تبويب جديدة',
  },
})
