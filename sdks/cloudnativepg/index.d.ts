// Generated from CustomResourceDefinitions by: node ops/toolchain/crdTypes.ts
export interface ClusterSpec {
  affinity?: {
    additionalPodAffinity?: {
      preferredDuringSchedulingIgnoredDuringExecution?: {
        podAffinityTerm: {
          labelSelector?: {
            matchExpressions?: {
              key: string;
              operator: string;
              values?: string[];
            }[];
            matchLabels?: {
              [k: string]: string;
            };
          };
          matchLabelKeys?: string[];
          mismatchLabelKeys?: string[];
          namespaceSelector?: {
            matchExpressions?: {
              key: string;
              operator: string;
              values?: string[];
            }[];
            matchLabels?: {
              [k: string]: string;
            };
          };
          namespaces?: string[];
          topologyKey: string;
        };
        weight: number;
      }[];
      requiredDuringSchedulingIgnoredDuringExecution?: {
        labelSelector?: {
          matchExpressions?: {
            key: string;
            operator: string;
            values?: string[];
          }[];
          matchLabels?: {
            [k: string]: string;
          };
        };
        matchLabelKeys?: string[];
        mismatchLabelKeys?: string[];
        namespaceSelector?: {
          matchExpressions?: {
            key: string;
            operator: string;
            values?: string[];
          }[];
          matchLabels?: {
            [k: string]: string;
          };
        };
        namespaces?: string[];
        topologyKey: string;
      }[];
    };
    additionalPodAntiAffinity?: {
      preferredDuringSchedulingIgnoredDuringExecution?: {
        podAffinityTerm: {
          labelSelector?: {
            matchExpressions?: {
              key: string;
              operator: string;
              values?: string[];
            }[];
            matchLabels?: {
              [k: string]: string;
            };
          };
          matchLabelKeys?: string[];
          mismatchLabelKeys?: string[];
          namespaceSelector?: {
            matchExpressions?: {
              key: string;
              operator: string;
              values?: string[];
            }[];
            matchLabels?: {
              [k: string]: string;
            };
          };
          namespaces?: string[];
          topologyKey: string;
        };
        weight: number;
      }[];
      requiredDuringSchedulingIgnoredDuringExecution?: {
        labelSelector?: {
          matchExpressions?: {
            key: string;
            operator: string;
            values?: string[];
          }[];
          matchLabels?: {
            [k: string]: string;
          };
        };
        matchLabelKeys?: string[];
        mismatchLabelKeys?: string[];
        namespaceSelector?: {
          matchExpressions?: {
            key: string;
            operator: string;
            values?: string[];
          }[];
          matchLabels?: {
            [k: string]: string;
          };
        };
        namespaces?: string[];
        topologyKey: string;
      }[];
    };
    enablePodAntiAffinity?: boolean;
    nodeAffinity?: {
      preferredDuringSchedulingIgnoredDuringExecution?: {
        preference: {
          matchExpressions?: {
            key: string;
            operator: string;
            values?: string[];
          }[];
          matchFields?: {
            key: string;
            operator: string;
            values?: string[];
          }[];
        };
        weight: number;
      }[];
      requiredDuringSchedulingIgnoredDuringExecution?: {
        nodeSelectorTerms: {
          matchExpressions?: {
            key: string;
            operator: string;
            values?: string[];
          }[];
          matchFields?: {
            key: string;
            operator: string;
            values?: string[];
          }[];
        }[];
      };
    };
    nodeSelector?: {
      [k: string]: string;
    };
    podAntiAffinityType?: string;
    tolerations?: {
      effect?: string;
      key?: string;
      operator?: string;
      tolerationSeconds?: number;
      value?: string;
    }[];
    topologyKey?: string;
  };
  backup?: {
    barmanObjectStore?: {
      azureCredentials?: {
        connectionString?: {
          key: string;
          name: string;
        };
        inheritFromAzureAD?: boolean;
        storageAccount?: {
          key: string;
          name: string;
        };
        storageKey?: {
          key: string;
          name: string;
        };
        storageSasToken?: {
          key: string;
          name: string;
        };
        useDefaultAzureCredentials?: boolean;
      };
      data?: {
        additionalCommandArgs?: string[];
        compression?: "bzip2" | "gzip" | "lz4" | "snappy";
        encryption?: "AES256" | "aws:kms";
        immediateCheckpoint?: boolean;
        jobs?: number;
      };
      destinationPath: string;
      endpointCA?: {
        key: string;
        name: string;
      };
      endpointURL?: string;
      googleCredentials?: {
        applicationCredentials?: {
          key: string;
          name: string;
        };
        gkeEnvironment?: boolean;
      };
      historyTags?: {
        [k: string]: string;
      };
      s3Credentials?: {
        accessKeyId?: {
          key: string;
          name: string;
        };
        inheritFromIAMRole?: boolean;
        region?: {
          key: string;
          name: string;
        };
        secretAccessKey?: {
          key: string;
          name: string;
        };
        sessionToken?: {
          key: string;
          name: string;
        };
      };
      serverName?: string;
      tags?: {
        [k: string]: string;
      };
      wal?: {
        archiveAdditionalCommandArgs?: string[];
        compression?: "bzip2" | "gzip" | "lz4" | "snappy" | "xz" | "zstd";
        encryption?: "AES256" | "aws:kms";
        maxParallel?: number;
        restoreAdditionalCommandArgs?: string[];
      };
    };
    retentionPolicy?: string;
    target?: "primary" | "prefer-standby";
    volumeSnapshot?: {
      annotations?: {
        [k: string]: string;
      };
      className?: string;
      labels?: {
        [k: string]: string;
      };
      online?: boolean;
      onlineConfiguration?: {
        immediateCheckpoint?: boolean;
        waitForArchive?: boolean;
      };
      snapshotOwnerReference?: "none" | "cluster" | "backup";
      tablespaceClassName?: {
        [k: string]: string;
      };
      walClassName?: string;
    };
  };
  bootstrap?: {
    initdb?: {
      builtinLocale?: string;
      dataChecksums?: boolean;
      database?: string;
      encoding?: string;
      icuLocale?: string;
      icuRules?: string;
      import?: {
        databases: string[];
        pgDumpExtraOptions?: string[];
        pgRestoreDataOptions?: string[];
        pgRestoreExtraOptions?: string[];
        pgRestorePostdataOptions?: string[];
        pgRestorePredataOptions?: string[];
        postImportApplicationSQL?: string[];
        roles?: string[];
        schemaOnly?: boolean;
        source: {
          externalCluster: string;
        };
        type: "microservice" | "monolith";
      };
      locale?: string;
      localeCType?: string;
      localeCollate?: string;
      localeProvider?: string;
      options?: string[];
      owner?: string;
      postInitApplicationSQL?: string[];
      postInitApplicationSQLRefs?: {
        configMapRefs?: {
          key: string;
          name: string;
        }[];
        secretRefs?: {
          key: string;
          name: string;
        }[];
      };
      postInitSQL?: string[];
      postInitSQLRefs?: {
        configMapRefs?: {
          key: string;
          name: string;
        }[];
        secretRefs?: {
          key: string;
          name: string;
        }[];
      };
      postInitTemplateSQL?: string[];
      postInitTemplateSQLRefs?: {
        configMapRefs?: {
          key: string;
          name: string;
        }[];
        secretRefs?: {
          key: string;
          name: string;
        }[];
      };
      secret?: {
        name: string;
      };
      walSegmentSize?: number;
    };
    pg_basebackup?: {
      database?: string;
      owner?: string;
      secret?: {
        name: string;
      };
      source: string;
    };
    recovery?: {
      backup?: {
        endpointCA?: {
          key: string;
          name: string;
        };
        name: string;
      };
      database?: string;
      owner?: string;
      recoveryTarget?: {
        backupID?: string;
        exclusive?: boolean;
        targetImmediate?: boolean;
        targetLSN?: string;
        targetName?: string;
        targetTLI?: string;
        targetTime?: string;
        targetXID?: string;
      };
      secret?: {
        name: string;
      };
      source?: string;
      volumeSnapshots?: {
        storage: {
          apiGroup?: string;
          kind: string;
          name: string;
        };
        tablespaceStorage?: {
          [k: string]: {
            apiGroup?: string;
            kind: string;
            name: string;
          };
        };
        walStorage?: {
          apiGroup?: string;
          kind: string;
          name: string;
        };
      };
    };
  };
  certificates?: {
    clientCASecret?: string;
    replicationTLSSecret?: string;
    serverAltDNSNames?: string[];
    serverCASecret?: string;
    serverTLSSecret?: string;
  };
  description?: string;
  enablePDB?: boolean;
  enableSuperuserAccess?: boolean;
  env?: {
    name: string;
    value?: string;
    valueFrom?: {
      configMapKeyRef?: {
        key: string;
        name?: string;
        optional?: boolean;
      };
      fieldRef?: {
        apiVersion?: string;
        fieldPath: string;
      };
      fileKeyRef?: {
        key: string;
        optional?: boolean;
        path: string;
        volumeName: string;
      };
      resourceFieldRef?: {
        containerName?: string;
        divisor?: number | string;
        resource: string;
      };
      secretKeyRef?: {
        key: string;
        name?: string;
        optional?: boolean;
      };
    };
  }[];
  envFrom?: {
    configMapRef?: {
      name?: string;
      optional?: boolean;
    };
    prefix?: string;
    secretRef?: {
      name?: string;
      optional?: boolean;
    };
  }[];
  ephemeralVolumeSource?: {
    volumeClaimTemplate?: {
      metadata?: {};
      spec: {
        accessModes?: string[];
        dataSource?: {
          apiGroup?: string;
          kind: string;
          name: string;
        };
        dataSourceRef?: {
          apiGroup?: string;
          kind: string;
          name: string;
          namespace?: string;
        };
        resources?: {
          limits?: {
            [k: string]: number | string;
          };
          requests?: {
            [k: string]: number | string;
          };
        };
        selector?: {
          matchExpressions?: {
            key: string;
            operator: string;
            values?: string[];
          }[];
          matchLabels?: {
            [k: string]: string;
          };
        };
        storageClassName?: string;
        volumeAttributesClassName?: string;
        volumeMode?: string;
        volumeName?: string;
      };
    };
  };
  ephemeralVolumesSizeLimit?: {
    shm?: number | string;
    temporaryData?: number | string;
  };
  externalClusters?: {
    barmanObjectStore?: {
      azureCredentials?: {
        connectionString?: {
          key: string;
          name: string;
        };
        inheritFromAzureAD?: boolean;
        storageAccount?: {
          key: string;
          name: string;
        };
        storageKey?: {
          key: string;
          name: string;
        };
        storageSasToken?: {
          key: string;
          name: string;
        };
        useDefaultAzureCredentials?: boolean;
      };
      data?: {
        additionalCommandArgs?: string[];
        compression?: "bzip2" | "gzip" | "lz4" | "snappy";
        encryption?: "AES256" | "aws:kms";
        immediateCheckpoint?: boolean;
        jobs?: number;
      };
      destinationPath: string;
      endpointCA?: {
        key: string;
        name: string;
      };
      endpointURL?: string;
      googleCredentials?: {
        applicationCredentials?: {
          key: string;
          name: string;
        };
        gkeEnvironment?: boolean;
      };
      historyTags?: {
        [k: string]: string;
      };
      s3Credentials?: {
        accessKeyId?: {
          key: string;
          name: string;
        };
        inheritFromIAMRole?: boolean;
        region?: {
          key: string;
          name: string;
        };
        secretAccessKey?: {
          key: string;
          name: string;
        };
        sessionToken?: {
          key: string;
          name: string;
        };
      };
      serverName?: string;
      tags?: {
        [k: string]: string;
      };
      wal?: {
        archiveAdditionalCommandArgs?: string[];
        compression?: "bzip2" | "gzip" | "lz4" | "snappy" | "xz" | "zstd";
        encryption?: "AES256" | "aws:kms";
        maxParallel?: number;
        restoreAdditionalCommandArgs?: string[];
      };
    };
    connectionParameters?: {
      [k: string]: string;
    };
    name: string;
    password?: {
      key: string;
      name?: string;
      optional?: boolean;
    };
    plugin?: {
      enabled?: boolean;
      isWALArchiver?: boolean;
      name: string;
      parameters?: {
        [k: string]: string;
      };
    };
    sslCert?: {
      key: string;
      name?: string;
      optional?: boolean;
    };
    sslKey?: {
      key: string;
      name?: string;
      optional?: boolean;
    };
    sslRootCert?: {
      key: string;
      name?: string;
      optional?: boolean;
    };
  }[];
  failoverDelay?: number;
  imageCatalogRef?: {
    apiGroup?: string;
    kind: string;
    major: number;
    name: string;
  };
  imageName?: string;
  imagePullPolicy?: string;
  imagePullSecrets?: {
    name: string;
  }[];
  inheritedMetadata?: {
    annotations?: {
      [k: string]: string;
    };
    labels?: {
      [k: string]: string;
    };
  };
  instances: number;
  livenessProbeTimeout?: number;
  logLevel?: "error" | "warning" | "info" | "debug" | "trace";
  managed?: {
    roles?: {
      bypassrls?: boolean;
      comment?: string;
      connectionLimit?: number;
      createdb?: boolean;
      createrole?: boolean;
      disablePassword?: boolean;
      ensure?: "present" | "absent";
      inRoles?: string[];
      inherit?: boolean;
      login?: boolean;
      name: string;
      passwordSecret?: {
        name: string;
      };
      replication?: boolean;
      superuser?: boolean;
      validUntil?: string;
    }[];
    services?: {
      additional?: {
        selectorType: "rw" | "r" | "ro";
        serviceTemplate: {
          metadata?: {
            annotations?: {
              [k: string]: string;
            };
            labels?: {
              [k: string]: string;
            };
            name?: string;
          };
          spec?: {
            allocateLoadBalancerNodePorts?: boolean;
            clusterIP?: string;
            clusterIPs?: string[];
            externalIPs?: string[];
            externalName?: string;
            externalTrafficPolicy?: string;
            healthCheckNodePort?: number;
            internalTrafficPolicy?: string;
            ipFamilies?: string[];
            ipFamilyPolicy?: string;
            loadBalancerClass?: string;
            loadBalancerIP?: string;
            loadBalancerSourceRanges?: string[];
            ports?: {
              appProtocol?: string;
              name?: string;
              nodePort?: number;
              port: number;
              protocol?: string;
              targetPort?: number | string;
            }[];
            publishNotReadyAddresses?: boolean;
            selector?: {
              [k: string]: string;
            };
            sessionAffinity?: string;
            sessionAffinityConfig?: {
              clientIP?: {
                timeoutSeconds?: number;
              };
            };
            trafficDistribution?: string;
            type?: string;
          };
        };
        updateStrategy?: "patch" | "replace";
      }[];
      disabledDefaultServices?: ("rw" | "r" | "ro")[];
    };
  };
  maxSyncReplicas?: number;
  minSyncReplicas?: number;
  monitoring?: {
    customQueriesConfigMap?: {
      key: string;
      name: string;
    }[];
    customQueriesSecret?: {
      key: string;
      name: string;
    }[];
    disableDefaultQueries?: boolean;
    enablePodMonitor?: boolean;
    metricsQueriesTTL?: string;
    podMonitorMetricRelabelings?: {
      action?:
        | "replace"
        | "Replace"
        | "keep"
        | "Keep"
        | "drop"
        | "Drop"
        | "hashmod"
        | "HashMod"
        | "labelmap"
        | "LabelMap"
        | "labeldrop"
        | "LabelDrop"
        | "labelkeep"
        | "LabelKeep"
        | "lowercase"
        | "Lowercase"
        | "uppercase"
        | "Uppercase"
        | "keepequal"
        | "KeepEqual"
        | "dropequal"
        | "DropEqual";
      modulus?: number;
      regex?: string;
      replacement?: string;
      separator?: string;
      sourceLabels?: string[];
      targetLabel?: string;
    }[];
    podMonitorRelabelings?: {
      action?:
        | "replace"
        | "Replace"
        | "keep"
        | "Keep"
        | "drop"
        | "Drop"
        | "hashmod"
        | "HashMod"
        | "labelmap"
        | "LabelMap"
        | "labeldrop"
        | "LabelDrop"
        | "labelkeep"
        | "LabelKeep"
        | "lowercase"
        | "Lowercase"
        | "uppercase"
        | "Uppercase"
        | "keepequal"
        | "KeepEqual"
        | "dropequal"
        | "DropEqual";
      modulus?: number;
      regex?: string;
      replacement?: string;
      separator?: string;
      sourceLabels?: string[];
      targetLabel?: string;
    }[];
    tls?: {
      enabled?: boolean;
    };
  };
  nodeMaintenanceWindow?: {
    inProgress?: boolean;
    reusePVC?: boolean;
  };
  plugins?: {
    enabled?: boolean;
    isWALArchiver?: boolean;
    name: string;
    parameters?: {
      [k: string]: string;
    };
  }[];
  podSecurityContext?: {
    appArmorProfile?: {
      localhostProfile?: string;
      type: string;
    };
    fsGroup?: number;
    fsGroupChangePolicy?: string;
    runAsGroup?: number;
    runAsNonRoot?: boolean;
    runAsUser?: number;
    seLinuxChangePolicy?: string;
    seLinuxOptions?: {
      level?: string;
      role?: string;
      type?: string;
      user?: string;
    };
    seccompProfile?: {
      localhostProfile?: string;
      type: string;
    };
    supplementalGroups?: number[];
    supplementalGroupsPolicy?: string;
    sysctls?: {
      name: string;
      value: string;
    }[];
    windowsOptions?: {
      gmsaCredentialSpec?: string;
      gmsaCredentialSpecName?: string;
      hostProcess?: boolean;
      runAsUserName?: string;
    };
  };
  podSelectorRefs?: {
    name: string;
    selector: {
      matchExpressions?: {
        key: string;
        operator: string;
        values?: string[];
      }[];
      matchLabels?: {
        [k: string]: string;
      };
    };
  }[];
  postgresGID?: number;
  postgresUID?: number;
  postgresql?: {
    enableAlterSystem?: boolean;
    extensions?: {
      bin_path?: string[];
      dynamic_library_path?: string[];
      env?: {
        name: string;
        value: string;
      }[];
      extension_control_path?: string[];
      image?: {
        pullPolicy?: string;
        reference?: string;
      };
      ld_library_path?: string[];
      name: string;
    }[];
    ldap?: {
      bindAsAuth?: {
        prefix?: string;
        suffix?: string;
      };
      bindSearchAuth?: {
        baseDN?: string;
        bindDN?: string;
        bindPassword?: {
          key: string;
          name?: string;
          optional?: boolean;
        };
        searchAttribute?: string;
        searchFilter?: string;
      };
      port?: number;
      scheme?: "ldap" | "ldaps";
      server?: string;
      tls?: boolean;
    };
    parameters?: {
      [k: string]: string;
    };
    pg_hba?: string[];
    pg_ident?: string[];
    promotionTimeout?: number;
    shared_preload_libraries?: string[];
    syncReplicaElectionConstraint?: {
      enabled: boolean;
      nodeLabelsAntiAffinity?: string[];
    };
    synchronous?: {
      dataDurability?: "required" | "preferred";
      failoverQuorum?: boolean;
      maxStandbyNamesFromCluster?: number;
      method: "any" | "first";
      number: number;
      standbyNamesPost?: string[];
      standbyNamesPre?: string[];
    };
  };
  primaryLease?: {
    leaseDurationSeconds?: number;
    releasedLeaseDurationSeconds?: number;
    renewDeadlineSeconds?: number;
    retryPeriodSeconds?: number;
  };
  primaryUpdateMethod?: "switchover" | "restart";
  primaryUpdateStrategy?: "unsupervised" | "supervised";
  priorityClassName?: string;
  probes?: {
    liveness?: {
      failureThreshold?: number;
      initialDelaySeconds?: number;
      isolationCheck?: {
        connectionTimeout?: number;
        enabled?: boolean;
        requestTimeout?: number;
      };
      periodSeconds?: number;
      successThreshold?: number;
      terminationGracePeriodSeconds?: number;
      timeoutSeconds?: number;
    };
    readiness?: {
      failureThreshold?: number;
      initialDelaySeconds?: number;
      maximumLag?: number | string;
      periodSeconds?: number;
      successThreshold?: number;
      terminationGracePeriodSeconds?: number;
      timeoutSeconds?: number;
      type?: "pg_isready" | "streaming" | "query";
    };
    startup?: {
      failureThreshold?: number;
      initialDelaySeconds?: number;
      maximumLag?: number | string;
      periodSeconds?: number;
      successThreshold?: number;
      terminationGracePeriodSeconds?: number;
      timeoutSeconds?: number;
      type?: "pg_isready" | "streaming" | "query";
    };
  };
  projectedVolumeTemplate?: {
    defaultMode?: number;
    sources?: {
      clusterTrustBundle?: {
        labelSelector?: {
          matchExpressions?: {
            key: string;
            operator: string;
            values?: string[];
          }[];
          matchLabels?: {
            [k: string]: string;
          };
        };
        name?: string;
        optional?: boolean;
        path: string;
        signerName?: string;
      };
      configMap?: {
        items?: {
          key: string;
          mode?: number;
          path: string;
        }[];
        name?: string;
        optional?: boolean;
      };
      downwardAPI?: {
        items?: {
          fieldRef?: {
            apiVersion?: string;
            fieldPath: string;
          };
          mode?: number;
          path: string;
          resourceFieldRef?: {
            containerName?: string;
            divisor?: number | string;
            resource: string;
          };
        }[];
      };
      podCertificate?: {
        certificateChainPath?: string;
        credentialBundlePath?: string;
        keyPath?: string;
        keyType: string;
        maxExpirationSeconds?: number;
        signerName: string;
        userAnnotations?: {
          [k: string]: string;
        };
      };
      secret?: {
        items?: {
          key: string;
          mode?: number;
          path: string;
        }[];
        name?: string;
        optional?: boolean;
      };
      serviceAccountToken?: {
        audience?: string;
        expirationSeconds?: number;
        path: string;
      };
    }[];
  };
  replica?: {
    enabled?: boolean;
    minApplyDelay?: string;
    primary?: string;
    promotionToken?: string;
    self?: string;
    source: string;
  };
  replicationSlots?: {
    highAvailability?: {
      enabled?: boolean;
      slotPrefix?: string;
      synchronizeLogicalDecoding?: boolean;
    };
    synchronizeReplicas?: {
      enabled: boolean;
      excludePatterns?: string[];
    };
    updateInterval?: number;
  };
  resources?: {
    claims?: {
      name: string;
      request?: string;
    }[];
    limits?: {
      [k: string]: number | string;
    };
    requests?: {
      [k: string]: number | string;
    };
  };
  schedulerName?: string;
  seccompProfile?: {
    localhostProfile?: string;
    type: string;
  };
  securityContext?: {
    allowPrivilegeEscalation?: boolean;
    appArmorProfile?: {
      localhostProfile?: string;
      type: string;
    };
    capabilities?: {
      add?: string[];
      drop?: string[];
    };
    privileged?: boolean;
    procMount?: string;
    readOnlyRootFilesystem?: boolean;
    runAsGroup?: number;
    runAsNonRoot?: boolean;
    runAsUser?: number;
    seLinuxOptions?: {
      level?: string;
      role?: string;
      type?: string;
      user?: string;
    };
    seccompProfile?: {
      localhostProfile?: string;
      type: string;
    };
    windowsOptions?: {
      gmsaCredentialSpec?: string;
      gmsaCredentialSpecName?: string;
      hostProcess?: boolean;
      runAsUserName?: string;
    };
  };
  serviceAccountName?: string;
  serviceAccountTemplate?: {
    metadata: {
      annotations?: {
        [k: string]: string;
      };
      labels?: {
        [k: string]: string;
      };
      name?: string;
    };
  };
  smartShutdownTimeout?: number;
  startDelay?: number;
  stopDelay?: number;
  storage?: {
    pvcTemplate?: {
      accessModes?: string[];
      dataSource?: {
        apiGroup?: string;
        kind: string;
        name: string;
      };
      dataSourceRef?: {
        apiGroup?: string;
        kind: string;
        name: string;
        namespace?: string;
      };
      resources?: {
        limits?: {
          [k: string]: number | string;
        };
        requests?: {
          [k: string]: number | string;
        };
      };
      selector?: {
        matchExpressions?: {
          key: string;
          operator: string;
          values?: string[];
        }[];
        matchLabels?: {
          [k: string]: string;
        };
      };
      storageClassName?: string;
      volumeAttributesClassName?: string;
      volumeMode?: string;
      volumeName?: string;
    };
    resizeInUseVolumes?: boolean;
    size?: string;
    storageClass?: string;
  };
  superuserSecret?: {
    name: string;
  };
  switchoverDelay?: number;
  tablespaces?: {
    name: string;
    owner?: {
      name?: string;
    };
    storage: {
      pvcTemplate?: {
        accessModes?: string[];
        dataSource?: {
          apiGroup?: string;
          kind: string;
          name: string;
        };
        dataSourceRef?: {
          apiGroup?: string;
          kind: string;
          name: string;
          namespace?: string;
        };
        resources?: {
          limits?: {
            [k: string]: number | string;
          };
          requests?: {
            [k: string]: number | string;
          };
        };
        selector?: {
          matchExpressions?: {
            key: string;
            operator: string;
            values?: string[];
          }[];
          matchLabels?: {
            [k: string]: string;
          };
        };
        storageClassName?: string;
        volumeAttributesClassName?: string;
        volumeMode?: string;
        volumeName?: string;
      };
      resizeInUseVolumes?: boolean;
      size?: string;
      storageClass?: string;
    };
    temporary?: boolean;
  }[];
  topologySpreadConstraints?: {
    labelSelector?: {
      matchExpressions?: {
        key: string;
        operator: string;
        values?: string[];
      }[];
      matchLabels?: {
        [k: string]: string;
      };
    };
    matchLabelKeys?: string[];
    maxSkew: number;
    minDomains?: number;
    nodeAffinityPolicy?: string;
    nodeTaintsPolicy?: string;
    topologyKey: string;
    whenUnsatisfiable: string;
  }[];
  walStorage?: {
    pvcTemplate?: {
      accessModes?: string[];
      dataSource?: {
        apiGroup?: string;
        kind: string;
        name: string;
      };
      dataSourceRef?: {
        apiGroup?: string;
        kind: string;
        name: string;
        namespace?: string;
      };
      resources?: {
        limits?: {
          [k: string]: number | string;
        };
        requests?: {
          [k: string]: number | string;
        };
      };
      selector?: {
        matchExpressions?: {
          key: string;
          operator: string;
          values?: string[];
        }[];
        matchLabels?: {
          [k: string]: string;
        };
      };
      storageClassName?: string;
      volumeAttributesClassName?: string;
      volumeMode?: string;
      volumeName?: string;
    };
    resizeInUseVolumes?: boolean;
    size?: string;
    storageClass?: string;
  };
}
